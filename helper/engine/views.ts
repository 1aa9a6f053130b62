/** The view/* requests. */
import path from 'node:path';
import type { EngineRequests, RecordFormat } from '../protocol/engine';
import { EngineErrorCode } from '../protocol/errors';
import type { PacketSender } from '../protocol/packet-sender';
import type { Sources } from './sources';
import { UserError } from './user-error';
import { checkInteger, checkText, checkView, invalid, object } from './validate';
import { View, type ViewEvents } from './view';

type Params<M extends keyof EngineRequests> = EngineRequests[M]['params'];

const MAX_VIEWS = 32;
/** Stands for the first output of a source that nobody has seen yet. */
const FIRST_OUTPUT = '*';
/** Texels of a side that view/pixels reads at once. */
const MAX_BLOCK = 64;
const RECORD_FORMATS: RecordFormat[] = ['png', 'exr', 'pfm', 'npy'];
const DEFAULT_SIZE = { width: 1280, height: 720 };

/** Views of all clients: those of one source must not share a number. */
let lastId = 0;

export class Views {
  readonly #views = new Map<number, View>();
  readonly #sources: Sources;
  readonly #sender: PacketSender;
  readonly #events: ViewEvents;

  constructor(sources: Sources, sender: PacketSender, events: ViewEvents) {
    this.#sources = sources;
    this.#sender = sender;
    this.#events = events;
  }

  get count(): number {
    return this.#views.size;
  }

  async open(params: Params<'view/open'>, abandoned: AbortSignal): Promise<EngineRequests['view/open']['result']> {
    const { source: id, device = 'auto', size = DEFAULT_SIZE } = object(params, 'params') as Params<'view/open'>;
    const view = checkView(params.view);
    const { width, height } = object(size, 'size');
    const scene = {
      device: checkText('device', device),
      width: checkInteger('size.width', width, 16, 16384),
      height: checkInteger('size.height', height, 16, 16384),
    };
    if (this.#views.size >= MAX_VIEWS)
      throw new UserError(`${MAX_VIEWS} views are open already.`, 'Close a preview first.', EngineErrorCode.invalidParams);
    const source = await this.#sources.open(checkText('source', id), scene);
    try {
      abandoned.throwIfAborted();
      const viewId = ++lastId;
      if (view.output === FIRST_OUTPUT) view.output = source.describe().outputs[0]?.name ?? FIRST_OUTPUT;
      this.#views.set(viewId, new View(viewId, source, view, this.#sender, this.#events));
      return { viewId, source: source.describe() };
    } catch (error) {
      await source.release();
      throw error;
    }
  }

  update({ viewId, view, paused }: Params<'view/update'>): null {
    if (paused !== undefined && typeof paused !== 'boolean') throw invalid('paused', 'true or false', paused);
    this.#find(viewId).update(object(view, 'view'), paused);
    return null;
  }

  pixel({ viewId, x, y }: Params<'view/pixel'>): Promise<EngineRequests['view/pixel']['result']> {
    return this.#find(viewId).pixel(checkInteger('x', x, 0, 1 << 20), checkInteger('y', y, 0, 1 << 20));
  }

  async save({ viewId, file }: Params<'view/save'>): Promise<EngineRequests['view/save']['result']> {
    const view = this.#find(viewId);
    if (!path.isAbsolute(checkText('file', file))) throw invalid('file', 'an absolute path', file);
    return { file, ...(await view.save(file)) };
  }

  pixels({ viewId, x, y, width, height }: Params<'view/pixels'>): Promise<EngineRequests['view/pixels']['result']> {
    const corner = { x: checkInteger('x', x, 0, 1 << 20), y: checkInteger('y', y, 0, 1 << 20) };
    const size = { width: checkInteger('width', width, 1, MAX_BLOCK), height: checkInteger('height', height, 1, MAX_BLOCK) };
    return this.#find(viewId).pixels({ ...corner, ...size });
  }

  pin({ viewId }: Params<'view/pin'>): Promise<EngineRequests['view/pin']['result']> {
    return this.#find(viewId).pin();
  }

  unpin({ viewId, reference }: Params<'view/unpin'>): null {
    this.#find(viewId).unpin(checkInteger('reference', reference, 1, 0xffffffff));
    return null;
  }

  history({ viewId }: Params<'view/history'>): Promise<EngineRequests['view/history']['result']> {
    return this.#find(viewId).history();
  }

  step({ viewId }: Params<'view/step'>): null {
    this.#find(viewId).step();
    return null;
  }

  async record({ viewId, folder, format, frames }: Params<'view/record'>): Promise<EngineRequests['view/record']['result']> {
    const view = this.#find(viewId);
    if (!path.isAbsolute(checkText('folder', folder))) throw invalid('folder', 'an absolute path', folder);
    if (!RECORD_FORMATS.includes(format)) throw invalid('format', `one of ${RECORD_FORMATS.join(', ')}`, format);
    return view.record(folder, format, checkInteger('frames', frames, 1, 1_000_000));
  }

  recordStop({ viewId }: Params<'view/recordStop'>): Promise<EngineRequests['view/recordStop']['result']> {
    return this.#find(viewId).recordStop();
  }

  async close({ viewId }: Params<'view/close'>): Promise<null> {
    const view = this.#find(viewId);
    this.#views.delete(viewId);
    await view.close();
    return null;
  }

  /** Credits for a view that has just been closed are on their way now and then: no error. */
  credit({ viewId, credits }: { viewId: number; credits: number }): void {
    if (Number.isInteger(credits)) this.#views.get(viewId)?.credit(credits);
  }

  async closeAll(): Promise<void> {
    const views = [...this.#views.values()];
    this.#views.clear();
    await Promise.allSettled(views.map((view) => view.close()));
  }

  #find(viewId: number): View {
    const view = this.#views.get(viewId);
    if (!view) throw new UserError(`There is no view ${viewId}.`, 'Open the preview again.', EngineErrorCode.invalidParams);
    return view;
  }
}
