/** The documents of the Devices panel and of one device's panel. They keep nothing that the extension cannot send again. */
import './devices.css';
import { PROTOCOL_VERSION } from '../../../helper/protocol/version';
import { element } from '../shared/dom';
import { vscodeApi } from '../shared/vscode-api';
import { DetailPage } from './detail-page';
import { connectHost } from './link';
import { ListPage } from './list-page';
import { initialState } from './state';

/** The extension answers at once: the engine's first answer comes later, as content. */
async function start(): Promise<void> {
  const host = connectHost();
  const state = initialState(vscodeApi.getState());
  const remember = () => vscodeApi.setState(state);
  const { device, content, history } = await host.request('start', { protocolVersion: PROTOCOL_VERSION });
  state.device = device;
  remember();
  const page = device === null ? new ListPage(host, state, remember, content) : new DetailPage(host, state, remember, content, device, history);
  page.attach();
}

start().catch((error: { message: string; nextStep?: string }) => {
  document.body.replaceChildren(element('p', { class: 'failed', role: 'alert' }, `${error.message} ${error.nextStep ?? ''}`));
});
