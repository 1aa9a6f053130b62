import type { SourceDescription } from '../../../helper/protocol/frames';
import { element } from '../shared/dom';
import type { Feature, Panel } from './feature';
import { describeOutput, stateSuffix } from './source-words';

const SEPARATOR = '\n';
const GUIDE = 'guide';
const FILES = 'files';

/** The list of all sources with their outputs; its last entry tells how to become one. */
export class Picker implements Feature {
  readonly root = element('select', { class: 'outputs', 'aria-label': 'Source and output' });
  readonly #panel: Panel;
  #listed = '';

  constructor(panel: Panel, showGuide: () => void) {
    this.#panel = panel;
    this.root.addEventListener('change', () => {
      const [source = '', output = ''] = this.root.value.split(SEPARATOR);
      if (source === GUIDE || source === FILES) {
        this.#select();
        if (source === GUIDE) showGuide();
        else panel.actions.watchFiles();
      } else panel.actions.selectOutput(source, output);
    });
  }

  changed(): void {
    const { sources, missing } = this.#panel.session;
    const groups = sources.map((source) => ({ label: source.label + stateSuffix(source.state), options: optionsOf(source) }));
    if (missing)
      groups.unshift({
        label: `${missing.label} (not running)`,
        options: [{ value: optionValue(missing.id, missing.output), label: missing.output }],
      });
    const listed = JSON.stringify(groups);
    if (listed !== this.#listed) {
      this.#listed = listed;
      const others = [element('option', { value: GUIDE }, 'Show your own frames…'), element('option', { value: FILES }, 'Watch image files…')];
      this.root.replaceChildren(
        ...groups.map(({ label, options }) =>
          element('optgroup', { label }, ...options.map((option) => element('option', { value: option.value }, option.label))),
        ),
        ...others,
      );
    }
    this.#select();
  }

  #select(): void {
    const { source, output, missing } = this.#panel.session;
    this.root.value = missing ? optionValue(missing.id, missing.output) : optionValue(source?.id ?? '', output?.name ?? '');
    this.root.title = missing?.label ?? [source?.label, source?.device, ...(source?.notes ?? [])].filter(Boolean).join('\n');
  }
}

function optionValue(source: string, output: string): string {
  return `${source}${SEPARATOR}${output}`;
}

/** A source that nobody has opened does not tell its outputs yet; choosing it opens it. */
function optionsOf({ id, label, outputs }: SourceDescription): { value: string; label: string }[] {
  if (outputs.length === 0) return [{ value: optionValue(id, ''), label }];
  return outputs.map((output) => ({ value: optionValue(id, output.name), label: describeOutput(output) }));
}
