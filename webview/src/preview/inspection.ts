import type { PanelInspection } from '../../../helper/protocol/webview';
import { type Actions, ZOOM_STEP } from './actions';
import type { Host } from './host';
import type { Painter } from './painter';
import type { Session } from './session';

interface Inspectable extends Actions {
  inspect(pixels: number[]): PanelInspection;
}

/** Answers the extension's questions about this panel, and works its controls: commands and tests use it. */
export function answerInspections(host: Host, app: Inspectable, painter: Painter, session: () => Session): void {
  host.onRequest('inspect', (part) => app.inspect(part.width > 0 ? painter.read(part) : []));
  host.onRequest('perform', ({ control, value }) => {
    switch (control) {
      case 'pause':
        app.togglePause();
        break;
      case 'fit':
        app.fit();
        break;
      case 'oneToOne':
        app.oneToOne();
        break;
      case 'zoomIn':
        app.zoom(ZOOM_STEP);
        break;
      case 'zoomOut':
        app.zoom(1 / ZOOM_STEP);
        break;
      case 'output':
        app.selectOutput(session().source?.id ?? '', String(value));
        break;
      case 'exposure':
        app.changeLook({ exposure: Number(value) });
        break;
      case 'falseColor':
        app.changeLook({ falseColor: value as never });
        break;
    }
    return app.inspect([]);
  });
}
