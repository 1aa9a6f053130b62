/** The preview panel's document. It keeps nothing that the engine cannot rebuild; VS Code stores how the user looked at it. */
import './preview.css';
import { App } from './app';
import { connectHost } from './host';
import { initialState } from './state';
import { vscodeApi } from './vscode-api';

const state = initialState(vscodeApi.getState());
void new App(connectHost(), state, () => vscodeApi.setState(state)).start();
