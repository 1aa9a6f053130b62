/** The preview panel's document. It keeps nothing that the engine cannot rebuild; VS Code stores how the user looked at it. */
import './preview.css';
import { vscodeApi } from '../shared/vscode-api';
import { App } from './app';
import { connectHost } from './host';
import { initialState } from './state';

const state = initialState(vscodeApi.getState());
void new App(connectHost(), state, () => vscodeApi.setState(state)).start();
