/** CUDA_VISIBLE_DEVICES explained entry by entry, with what CUDA then really listed as the judge. */
import type { VisibleDevices, VisibleEntry } from '../../protocol/device-routing';
import type { DeviceSnapshot } from '../../protocol/devices';
import { deviceOrder } from './device-order';
import { type Named, namedBy } from './entry-names';
import { migRule } from './mig-rule';

const KINDS: [RegExp, VisibleEntry['kind']][] = [
  [/^\d+$/, 'index'],
  [/^-\d+$/, 'negative'],
  [/^MIG-(GPU-)?[0-9a-f-]+\/\d+\/\d+$/i, 'mig-legacy-uuid'],
  [/^MIG-./i, 'mig-uuid'],
  [/^GPU-./i, 'gpu-uuid'],
];

export function explainVisibleDevices(snapshot: DeviceSnapshot): VisibleDevices {
  const value = snapshot.environment.variables.CUDA_VISIBLE_DEVICES;
  const rule = migRule(snapshot);
  const texts = value === undefined || value.trim() === '' ? [] : value.split(',').map((text) => text.trim());
  const entries = new Reader(snapshot, rule).read(texts);
  const summary = summarize(value, entries, snapshot.cuda.devices.length);
  return { ...(value === undefined ? {} : { value }), entries, order: deviceOrder(snapshot.environment.variables), migRule: rule, summary };
}

/** Reads the list as CUDA does: from the left, until an entry names nothing. */
class Reader {
  readonly #snapshot: DeviceSnapshot;
  readonly #rule: VisibleDevices['migRule'];
  readonly #taken = new Map<string, number>();
  #ended: string | undefined;
  #ordinal = 0;

  constructor(snapshot: DeviceSnapshot, rule: VisibleDevices['migRule']) {
    this.#snapshot = snapshot;
    this.#rule = rule;
  }

  read(texts: string[]): VisibleEntry[] {
    return texts.map((text) => this.#entry(text, KINDS.find(([form]) => form.test(text))?.[1] ?? 'malformed'));
  }

  #entry(text: string, kind: VisibleEntry['kind']): VisibleEntry {
    const entry = { text, kind };
    if (this.#ended !== undefined) return { ...entry, status: 'ignored', message: `Stands behind "${this.#ended}", where CUDA stops reading.` };
    if (kind === 'negative') return this.#end(entry, 'A negative number ends the list.');
    if (kind === 'malformed') return this.#end(entry, 'Is neither an index nor a UUID that begins with GPU- or MIG-.');
    const named = namedBy(text, kind, this.#snapshot);
    if ('unknown' in named) return { ...entry, status: 'unknown', message: named.unknown };
    if ('fault' in named) return this.#end(entry, named.fault);
    const key = named.key ?? text;
    if (this.#taken.has(key)) return this.#duplicate(entry, key);
    return this.#select(entry, key, named);
  }

  #end(entry: Pick<VisibleEntry, 'text' | 'kind'>, message: string): VisibleEntry {
    this.#ended = entry.text;
    return { ...entry, status: 'ends-list', message: `${message} CUDA ignores it and every entry after it.` };
  }

  #duplicate(entry: Pick<VisibleEntry, 'text' | 'kind'>, key: string): VisibleEntry {
    this.#ended = entry.text;
    const message = `Names the device of ordinal ${this.#taken.get(key)} a second time: CUDA then lists no device at all, or stops here.`;
    return { ...entry, status: 'duplicate', message };
  }

  #select(entry: Pick<VisibleEntry, 'text' | 'kind'>, key: string, { gpuIndex, migIndex }: Named): VisibleEntry {
    const place = { ...(gpuIndex === undefined ? {} : { gpuIndex }), ...(migIndex === undefined ? {} : { migIndex }) };
    const { available, devices } = this.#snapshot.cuda;
    if (this.#ordinal >= devices.length) {
      if (available && this.#rule.generation === 'one-instance' && this.#ordinal > 0)
        return { ...entry, ...place, status: 'limited', message: this.#rule.message };
      return this.#end({ ...entry, ...place }, available ? 'CUDA lists nothing for it.' : 'CUDA lists no device in this environment.');
    }
    const ordinal = this.#ordinal++;
    this.#taken.set(key, ordinal);
    const match = this.#snapshot.matches.find(({ cudaOrdinal }) => cudaOrdinal === ordinal);
    const found = {
      ...place,
      ...(match?.gpuIndex === undefined ? {} : { gpuIndex: match.gpuIndex }),
      ...(match?.migIndex === undefined ? {} : { migIndex: match.migIndex }),
    };
    return { ...entry, ...found, status: 'selects', ordinal, message: `Is CUDA device ${ordinal}, ${devices[ordinal]?.name ?? 'unnamed'}.` };
  }
}

function summarize(value: string | undefined, entries: VisibleEntry[], devices: number): string {
  const seen = `CUDA lists ${devices === 1 ? '1 device' : `${devices} devices`}`;
  if (value === undefined) return `CUDA_VISIBLE_DEVICES is not set: ${seen}.`;
  if (entries.length === 0) return 'CUDA_VISIBLE_DEVICES is empty, which hides every device.';
  const stop = entries.find(({ status }) => status === 'ends-list' || status === 'duplicate');
  const selected = entries.filter(({ status }) => status === 'selects').length;
  const end = stop ? `; the list ends at "${stop.text}"` : '';
  return `${selected} of ${entries.length} entries select a device${end}. ${seen}.`;
}
