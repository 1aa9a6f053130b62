/** `seamscope devices` */
import { parseArgs } from 'node:util';
import type { DeviceSnapshot } from '../protocol/devices';
import { devicesText } from './devices-text';
import { parseEnv } from './env-option';
import { print, printJson } from './output';
import { withSecondReading } from './second-reading';
import { withEngine } from './with-engine';

export async function runDevices(args: string[], dir: string): Promise<number> {
  const { values } = parseArgs({ args, options: { json: { type: 'boolean' }, env: { type: 'string', multiple: true } } });
  const env = parseEnv(values.env ?? []);
  const snapshot = await withEngine(dir, async (client) => withSecondReading(client, await client.request('devices/snapshot', { env })));
  if (values.json) printJson(snapshot);
  else print(devicesText(snapshot));
  return couldAsk(snapshot) ? 0 : 2;
}

/** No GPU is an answer; drivers that could not be asked are none. */
function couldAsk({ vulkan, cuda }: DeviceSnapshot): boolean {
  const unasked = ['addon-missing', 'probe-failed'];
  return ![vulkan, cuda].some(({ reason }) => reason && unasked.includes(reason.code));
}
