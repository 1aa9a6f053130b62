import { element } from '../shared/dom';
import { EXPOSURE_LIMIT, GAMMA_LIMITS } from './actions';
import { Banner } from './banner';
import { CompareSection } from './compare-section';
import { answerInspections } from './controls';
import type { Feature, Panel } from './feature';
import { Guide } from './guide';
import { Hint } from './hint';
import { Inspector } from './inspector';
import { handleKeys } from './keys';
import { LiveText } from './live-text';
import { LookSection } from './look-section';
import { Minimap } from './minimap';
import type { Notice } from './notice';
import { handlePeek } from './peek';
import { Picker } from './picker';
import { PixelChip } from './pixel-chip';
import { PixelSection } from './pixel-section';
import { handlePointer } from './pointer';
import { Probe } from './probe';
import { StatusLine } from './status-line';
import { Swipe } from './swipe';
import { TexelValues } from './texel-values';
import { TimingSection } from './timing-section';
import { Toolbar } from './toolbar';
import { Transport } from './transport';
import { ValuesSection } from './values-section';

/** Makes the parts of the panel and lays them out. */
export class Parts {
  readonly features: Feature[];
  readonly status: StatusLine;
  readonly minimap: Minimap;
  readonly transport: Transport;
  readonly probe: Probe;
  readonly look: LookSection;
  readonly values: ValuesSection;
  readonly compare: CompareSection;
  readonly swipe: Swipe;
  readonly pixel: PixelSection;
  readonly inspector: Inspector;
  readonly banner: Banner;
  readonly #panel: Panel;

  constructor(panel: Panel, notice: Notice) {
    this.#panel = panel;
    const { stage } = panel;
    this.probe = new Probe(panel);
    this.look = new LookSection(panel);
    this.values = new ValuesSection(panel);
    this.compare = new CompareSection(panel);
    this.pixel = new PixelSection(panel, this.probe);
    this.swipe = new Swipe(panel);
    this.minimap = new Minimap(panel);
    this.transport = new Transport(panel);
    this.status = new StatusLine(panel);
    const timing = new TimingSection(panel);
    const texels = new TexelValues(panel);
    const chip = new PixelChip(panel);
    const guide = new Guide(panel);
    const showGuide = () => guide.show();
    const hint = new Hint(panel, showGuide);
    this.banner = new Banner(panel);
    const picker = new Picker(panel, showGuide);
    const main = element('main');
    const sections = [this.look, this.values, this.pixel, this.compare, timing].map(({ section }) => section);
    this.inspector = new Inspector(panel, main, sections, (open) => toolbar.showInspector(open));
    const toolbar = new Toolbar(panel, {
      picker,
      step: () => this.transport.step(1),
      togglePin: () => this.compare.togglePin(),
      toggleInspector: () => this.inspector.toggle(),
      showGuide,
    });
    this.probe.onPixel((pixel) => chip.show(pixel));
    stage.root.append(texels.canvas, this.probe.crosshair.root, this.swipe.root, this.minimap.root, chip.root);
    main.append(element('div', { class: 'center' }, stage.root, this.banner.root, notice.root, guide.root), this.inspector.root);
    document.body.append(toolbar.root, hint.root, main, this.transport.root, this.status.root, stage.live);
    const controls = [picker, toolbar, hint, this.banner, this.inspector, this.look, this.values, this.compare, timing, this.transport, this.status];
    this.features = [...controls, this.probe, this.swipe, this.minimap, texels, new LiveText(panel)];
    handlePointer(stage.root, panel.actions, this.probe);
    this.#handleKeys(stage.root);
    answerInspections(panel, this);
  }

  #handleKeys(stage: HTMLElement): void {
    const { actions, session, announce } = this.#panel;
    const within = (value: number, [low, high]: readonly [number, number]) => Math.min(Math.max(Number(value.toFixed(4)), low), high);
    handleKeys(stage, {
      actions,
      probe: this.probe,
      stepBack: () => this.transport.step(-1),
      changeExposure: (by) => {
        actions.changeLook({ exposure: within(session.look.exposure + by, [-EXPOSURE_LIMIT, EXPOSURE_LIMIT]) });
        announce(`Exposure ${session.look.exposure}`);
      },
      changeGamma: (by) => {
        actions.changeLook({ gamma: within(session.look.gamma + by, GAMMA_LIMITS) });
        announce(`Gamma ${session.look.gamma}`);
      },
      fitRange: () => this.values.range.fit(),
      copyValue: () => this.pixel.copy(),
      togglePin: () => this.compare.togglePin(),
      cycleCompare: () => this.compare.cycle(),
      toggleInspector: () => this.inspector.toggle(),
    });
    handlePeek(stage, this.#panel);
    // Keys work as soon as the panel has focus.
    window.addEventListener('focus', () => {
      if (document.activeElement === document.body) stage.focus({ preventScroll: true });
    });
  }
}
