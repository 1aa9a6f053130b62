import { version } from '../../package.json';

export const ENGINE_VERSION: string = version;
