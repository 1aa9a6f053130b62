/** Ordinal -> Vulkan device -> sources of the preview that run there. */
import type { Route } from '../../protocol/device-routing';
import type { DeviceMatch, DeviceSnapshot } from '../../protocol/devices';
import type { SourceDescription } from '../../protocol/frames';

/** `sources` run in the engine's own environment; leave them out for another one, where indices and ordinals differ. */
export function routesOf(snapshot: DeviceSnapshot, sources: SourceDescription[]): Route[] {
  const seen = snapshot.matches.filter(({ cudaOrdinal, vulkanIndex }) => cudaOrdinal !== undefined || vulkanIndex !== undefined);
  return seen.map((match) => routeOf(match, snapshot, sources)).sort(byOrdinal);
}

function routeOf(match: DeviceMatch, { cuda, vulkan }: DeviceSnapshot, sources: SourceDescription[]): Route {
  const { status, reasons, ...ids } = match;
  const ordinal = cuda.devices.find((device) => device.ordinal === match.cudaOrdinal);
  const device = vulkan.devices.find(({ index }) => index === match.vulkanIndex);
  const missing = status === 'matched' ? undefined : reasons[0]?.message;
  return {
    ...ids,
    name: ordinal?.name ?? device?.name ?? '',
    sources: sources.filter((source) => runsOn(source, match)).map(({ id }) => id),
    ...(missing ? { missing } : {}),
  };
}

/** A source says in words where it runs: "Vulkan 0 llvmpipe", "CUDA 1", or a UUID. */
function runsOn({ device }: SourceDescription, { uuid, cudaOrdinal, vulkanIndex }: DeviceMatch): boolean {
  if (uuid && device.includes(uuid)) return true;
  const [, api, number] = /\b(Vulkan|CUDA) (?:device )?(\d+)/.exec(device) ?? [];
  return number !== undefined && Number(number) === (api === 'CUDA' ? cudaOrdinal : vulkanIndex);
}

function byOrdinal(a: Route, b: Route): number {
  const rank = ({ cudaOrdinal, vulkanIndex }: Route) => cudaOrdinal ?? 1000 + (vulkanIndex ?? 0);
  return rank(a) - rank(b);
}
