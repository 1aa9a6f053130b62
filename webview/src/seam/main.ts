/** The document of the seam test's report. It keeps nothing but what the user chose to see of it. */
import './seam.css';
import { Messenger } from '../../../helper/protocol/messenger';
import { vscodeApi } from '../shared/vscode-api';
import { App, type SeamHost } from './app';

const host: SeamHost = new Messenger((message) => vscodeApi.postMessage(message));
window.addEventListener('message', ({ data }) => host.receive(data));
void new App(host).start();
