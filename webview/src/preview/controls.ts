import type { CompareMode, FalseColor, ToneMap } from '../../../helper/protocol/frames';
import type { PanelControl } from '../../../helper/protocol/webview';
import { ZOOM_STEP } from './actions';
import type { Panel } from './feature';
import type { Parts } from './parts';

type Value = string | number;

/** Answers the extension's questions about this panel, and works its controls: commands and tests use it. */
export function answerInspections(panel: Panel, parts: Parts): void {
  const controls = controlsOf(panel, parts);
  panel.host.onRequest('inspect', (part) => panel.inspect(part.width > 0 ? panel.painter.read(part) : []));
  panel.host.onRequest('perform', ({ control, value = '' }) => {
    controls[control](value);
    return panel.inspect([]);
  });
}

function controlsOf({ actions, session }: Panel, parts: Parts): Record<PanelControl, (value: Value) => void> {
  return {
    pause: actions.togglePause,
    step: () => parts.transport.step(1),
    fit: actions.fit,
    oneToOne: actions.oneToOne,
    zoomIn: () => actions.zoom(ZOOM_STEP),
    zoomOut: () => actions.zoom(1 / ZOOM_STEP),
    zoomTo: (scale) => actions.zoom(Number(scale) / session.viewport.scale),
    output: (name) => actions.selectOutput(session.source?.id ?? '', String(name)),
    exposure: (exposure) => actions.changeLook({ exposure: Number(exposure) }),
    gamma: (gamma) => actions.changeLook({ gamma: Number(gamma) }),
    toneMap: (toneMap) => actions.changeLook({ toneMap: toneMap as ToneMap }),
    falseColor: (falseColor) => actions.changeLook({ falseColor: falseColor as FalseColor }),
    channels: (mask) => actions.changeLook({ channels: Number(mask) }),
    flipY: () => actions.changeLook({ flipY: !session.look.flipY }),
    swapRb: () => actions.changeLook({ swapRb: !session.look.swapRb }),
    range: (range) => actions.changeLook({ range: range === 'auto' ? null : numbers(range), holdFirstRange: false }),
    fitRange: () => parts.values.range.fit(),
    markNan: () => parts.values.marks.toggle('nan'),
    markInf: () => parts.values.marks.toggle('inf'),
    markNegative: () => parts.values.marks.toggle('negative'),
    markClipping: () => parts.values.marks.toggle('clipping'),
    probe: (place) => {
      const [x, y] = numbers(place);
      parts.probe.goTo({ x, y });
    },
    copyValue: () => parts.pixel.copy(),
    copyPicture: actions.copyPicture,
    save: actions.save,
    record: actions.record,
    pin: () => void parts.compare.pin(),
    togglePin: () => parts.compare.togglePin(),
    unpin: () => parts.compare.unpin(),
    compare: (mode) => parts.compare.setMode(mode as CompareMode),
    split: (split) => parts.swipe.set(Number(split)),
    history: (frame) => parts.transport.show(Number(frame) < 0 ? null : Number(frame)),
    inspector: () => parts.inspector.toggle(),
  };
}

function numbers(text: Value): [number, number] {
  const [first = 0, second = 0] = String(text).split(' ').map(Number);
  return [first, second];
}
