import type { OutputDescription, SourceDescription } from '../../../helper/protocol/frames';

export interface StateWords {
  level: 'info' | 'warning' | 'error';
  text: string;
}

/** What keeps an output from being live, in words; null when nothing does. */
export function stateWords(
  source: Pick<SourceDescription, 'label' | 'state' | 'notes'>,
  output: Pick<OutputDescription, 'name' | 'state' | 'note'> | undefined,
): StateWords | null {
  if (source.state === 'gone') return words('warning', `${source.label} has ended; its last frame stays.`, source.notes?.at(-1));
  switch (output?.state) {
    case 'announced':
    case 'waiting':
      return words('info', `${output.name}: no frame has come yet.`, output.note);
    case 'silent':
      return words('info', `${output.name}: no new frame for a while.`, output.note);
    case 'refused':
      return words('error', `${output.name} cannot be shown.`, output.note);
    case 'gone':
      return words('warning', `${output.name} was withdrawn; its last frame stays.`, output.note);
    default:
      return null;
  }
}

function words(level: StateWords['level'], text: string, note = ''): StateWords {
  return { level, text: note ? `${text} ${note}` : text };
}

/** For lists: a word after the name of what is not live. */
export function stateSuffix(state: SourceDescription['state'] | OutputDescription['state']): string {
  if (state === 'gone') return ' (ended)';
  return state === 'refused' || state === 'silent' ? ` (${state})` : '';
}

export function describeOutput({ name, width, height, channels, dtype, batches = 1, state }: OutputDescription): string {
  const batch = batches > 1 ? `${batches}×` : '';
  // Nothing is known before the first frame.
  const format = width > 0 ? ` · ${width}×${height} · ${batch}${channels}×${dtype}` : '';
  return `${name}${format}${stateSuffix(state)}`;
}
