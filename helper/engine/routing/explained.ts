/** A snapshot with its match explained: what the environment selects, what runs where, what would mislead. */
import type { DeviceSnapshot } from '../../protocol/devices';
import type { SourceDescription } from '../../protocol/frames';
import { pitfallsOf } from './pitfalls';
import { routesOf } from './routes';
import { explainVisibleDevices } from './visible-devices';

/** `sources`: what the preview runs in the environment of the snapshot. */
export function explained(snapshot: DeviceSnapshot, sources: SourceDescription[]): DeviceSnapshot {
  return { ...snapshot, visible: explainVisibleDevices(snapshot), routes: routesOf(snapshot, sources), pitfalls: pitfallsOf(snapshot) };
}
