/** The engine process put together: addon, packet stream on stdin and stdout, request handlers, one way out. */
import path from 'node:path';
import process from 'node:process';
import type { Writable } from 'node:stream';
import type { EngineRequests } from '../protocol/engine';
import { PROTOCOL_VERSION } from '../protocol/version';
import { addonCandidates, type LoadedAddon, loadAddon } from './addon-loader';
import { DeviceService } from './device-service';
import { doctorReport } from './doctor/report';
import { openFdCount } from './fd-count';
import { Publishers } from './publishers';
import { type Handlers, RpcServer } from './rpc-server';
import { endHung, exitOnUncaughtErrors, Shutdown } from './shutdown';
import { Sources } from './sources';
import { openPacketOutput } from './stdout';
import { PacketTransport } from './transport';
import { toUserError, type UserError } from './user-error';
import { checkEnv } from './validate';
import { ENGINE_VERSION } from './version';
import { Views } from './views';
import { withTimeout } from './with-timeout';

const FLUSH_MS = 300;

/** What all clients share; without the addon only devices/snapshot, stats and shutdown do anything. */
export interface Engine {
  loaded: LoadedAddon | UserError;
  devices: DeviceService;
  native: { publishers: Publishers; sources: Sources } | null;
  clients: Set<RpcServer>;
}

export interface Client {
  /** Closes its views. */
  close(): Promise<void>;
}

/** What the handlers of one client work with. */
interface Parts {
  engine: Engine;
  views: Views | null;
  end: () => void;
}

/** Serves one client on stdin and stdout until its stream ends or it asks for shutdown; then the process exits. `bundleDir` holds probe.js and native/. */
export function runEngine(bundleDir: string): void {
  exitOnUncaughtErrors();
  const engine = openEngine(bundleDir);
  const output = openPacketOutput(engine.loaded instanceof Error ? null : engine.loaded.addon);
  const transport = new PacketTransport(process.stdin, output);
  const shutdown = new Shutdown(async () => {
    await client.close();
    await closeEngine(engine);
    await flushed(output);
  });
  const client = serveClient(engine, transport, (cause) => void shutdown.run(cause));
}

export function openEngine(bundleDir: string): Engine {
  const loaded = tryLoadAddon(bundleDir);
  const clients = new Set<RpcServer>();
  const native = loaded instanceof Error ? null : openNative(loaded, clients);
  const devices = new DeviceService(loaded, path.join(bundleDir, 'probe.js'), { sources: () => native?.sources.list() ?? [], onHang: endHung });
  return { loaded, devices, native, clients };
}

export async function closeEngine({ devices, native }: Engine): Promise<void> {
  devices.close();
  await native?.sources.settled();
  native?.publishers.close();
}

/** `end` is called when the client's stream ends, with the error that ended it if it was one, or when it asks for shutdown. */
export function serveClient(engine: Engine, transport: PacketTransport, end: (cause?: Error) => void): Client {
  const rpc = new RpcServer(transport);
  rpc.expectHandshake(end);
  const onFailed = (viewId: number, message: string, nextStep: string) => rpc.notify('view/failed', { viewId, message, nextStep });
  const views = engine.native && new Views(engine.native.sources, transport.sender, { onFailed });
  rpc.serve(handlersOf({ engine, views, end }));
  rpc.onNotification('view/credit', (grant) => views?.credit(grant));
  transport.onEnd = end;
  engine.clients.add(rpc);
  return {
    close: async () => {
      engine.clients.delete(rpc);
      rpc.stop();
      await views?.closeAll();
    },
  };
}

/** The last reply is out, or its reader does not read. */
async function flushed(output: Writable): Promise<void> {
  if (output.destroyed) return;
  const ended = new Promise<void>((done) => output.end(done));
  await withTimeout(ended, FLUSH_MS, () => new Error('slow reader')).catch(() => {});
}

function tryLoadAddon(bundleDir: string): LoadedAddon | UserError {
  try {
    return loadAddon(addonCandidates(bundleDir));
  } catch (error) {
    return toUserError(error);
  }
}

function openNative({ addon }: LoadedAddon, clients: Set<RpcServer>): Engine['native'] {
  const publishers = new Publishers(addon, () => {
    for (const client of clients) client.notify('sources/changed', {});
  });
  return { publishers, sources: new Sources(addon, publishers) };
}

function handlersOf({ engine: { loaded, devices, native }, views, end }: Parts): Handlers {
  const need = () => {
    if (loaded instanceof Error || !native || !views) throw loaded;
    return { ...native, views };
  };
  return {
    initialize: () => describeEngine(loaded),
    'devices/snapshot': ({ env, refresh }) => devices.snapshot({ env: checkEnv(env), refresh: refresh === true }),
    doctor: ({ env }) => doctorReport(devices, loaded, checkEnv(env)),
    'devices/poll': ({ last }) => devices.poll({ last: last === true }),
    'publishers/configure': (params) => need().publishers.configure(params),
    'sources/list': () => native?.sources.list() ?? [],
    'view/open': (params, abandoned) => need().views.open(params, abandoned),
    'view/update': (params) => need().views.update(params),
    'view/pixel': (params) => need().views.pixel(params),
    'view/save': (params) => need().views.save(params),
    'view/pixels': (params) => need().views.pixels(params),
    'view/pin': (params) => need().views.pin(params),
    'view/unpin': (params) => need().views.unpin(params),
    'view/history': (params) => need().views.history(params),
    'view/step': (params) => need().views.step(params),
    'view/record': (params) => need().views.record(params),
    'view/recordStop': (params) => need().views.recordStop(params),
    'history/budget': ({ bytes }) => need().sources.setHistoryBudget(bytes),
    'view/close': (params) => need().views.close(params),
    stats: () => ({
      uptimeMs: Math.round(process.uptime() * 1000),
      openFds: openFdCount(),
      views: views?.count ?? 0,
      gpuMemoryBytes: native?.sources.gpuMemoryBytes() ?? 0,
      historyBytes: native?.sources.historyBytes() ?? 0,
    }),
    shutdown: () => {
      // After the reply has been written.
      setImmediate(end);
      return null;
    },
  };
}

function describeEngine(loaded: LoadedAddon | UserError): EngineRequests['initialize']['result'] {
  const engine = { protocolVersion: PROTOCOL_VERSION, engineVersion: ENGINE_VERSION, pid: process.pid };
  if (!(loaded instanceof Error)) return { ...engine, addonPath: loaded.path, ...(loaded.stale && { addonStale: loaded.stale }) };
  return { ...engine, addonPath: '', addonProblem: { message: loaded.message, nextStep: loaded.nextStep } };
}
