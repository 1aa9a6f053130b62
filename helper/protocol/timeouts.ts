/** How long a side waits, in milliseconds. The client waits a little longer than the engine, so that the engine's own words arrive. */
import type { EngineRequests } from './engine';

/** The engine's limit for its own work on a request. */
export const ENGINE_TIMEOUT_MS: { readonly [M in keyof EngineRequests]: number } = {
  initialize: 5_000,
  // The probe child has 15 s; NVML comes on top.
  'devices/snapshot': 25_000,
  'devices/poll': 10_000,
  // A snapshot, and a few files.
  doctor: 26_000,
  'publishers/configure': 5_000,
  'sources/list': 5_000,
  // First use of a GPU compiles pipelines.
  'view/open': 30_000,
  'view/update': 5_000,
  'view/pixel': 5_000,
  'view/save': 30_000,
  'view/pixels': 5_000,
  'view/pin': 10_000,
  'view/unpin': 5_000,
  'view/history': 5_000,
  'view/step': 5_000,
  'view/record': 10_000,
  'view/recordStop': 30_000,
  'history/budget': 5_000,
  'view/close': 5_000,
  stats: 5_000,
  shutdown: 2_000,
};

export const CLIENT_GRACE_MS = 2_000;
export const PROBE_TIMEOUT_MS = 15_000;
/** A driver call that has not returned by then never will: the engine ends itself and is started again. */
export const NVML_TIMEOUT_MS = 6_000;
/** From the start of the engine process (or of ssh) to the answer to `initialize`. */
export const HANDSHAKE_TIMEOUT_MS = 20_000;
/** An engine that has not ended by then after `shutdown` or the end of its stdin is killed. */
export const SHUTDOWN_TIMEOUT_MS = 2_000;
