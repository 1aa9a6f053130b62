/**
 * # device/ordinal-mismatch
 *
 * ## What it does
 * Reports a program that writes down different CUDA ordinals for the renderer's active-GPU filter, for `deviceIds` of a render product, and
 * for its own CUDA initialisation. For information: a program that gives the renderer several GPUs, maps its output on CUDA and never looks
 * at the `device_id` of what it gets.
 *
 * ## Why is this bad
 * All three count the same devices, those that `CUDA_VISIBLE_DEVICES` leaves visible. When they differ the output lies on another device
 * than the one that the program works on: a refused handle, or a copy over the bus for every frame.
 *
 * ## Example
 * ```python
 * import torch
 * import ovrtx
 * def start():
 *     torch.cuda.set_device(0)
 *     return ovrtx.Renderer(active_cuda_gpus=[1])
 * ```
 *
 * ## Use instead
 * ```python
 * import torch
 * import ovrtx
 * def start(ordinal):
 *     torch.cuda.set_device(ordinal)
 *     return ovrtx.Renderer(active_cuda_gpus=[ordinal])
 * ```
 *
 * ## What it cannot see
 * Ordinals that come from configuration or from another file.
 */
import { ordinalArgument } from '../../analyses/device-ordinals';
import type { Call, Expr, FileFacts, Span } from '../../facts/index';
import { lastName, pathOf, stripCasts, symbolOf } from '../../facts/paths';
import { valueAt } from '../../flow/definitions';
import { fileQuery } from '../../memo/query';
import { fromFunctions } from '../../memo/table';
import { defineRule } from '../rule';

interface Setting {
  readonly what: 'the active-GPU filter' | 'deviceIds' | 'CUDA';
  readonly ordinals: readonly number[];
  readonly at: { readonly span: Span };
}

type Data = { readonly first: Setting; readonly second: Setting } | { readonly several: Setting };

export const rule = defineRule<Data>({
  meta: {
    id: 'device/ordinal-mismatch',
    summary: 'The active-GPU filter, deviceIds and CUDA are given different ordinals.',
    severity: 'warning',
    tier: 'C',
    precision: 'likely',
    fix: 'none',
    languages: ['c', 'cpp', 'cuda', 'python'],
    group: 'preview',
    since: '0.1.0',
  },

  message(data) {
    if ('several' in data)
      return `The output is mapped on CUDA, ${data.several.what} has ordinals ${data.several.ordinals.join(', ')}, and nothing looks at the \`device_id\` of what is mapped: it may lie on any of them. Compare the first output's device_id with the ordinal that the program works on, or make that device current for each output.`;
    const { first, second } = data;
    return `This gives ${second.what} ordinal ${second.ordinals.join(', ')}, but ${first.what} has ${first.ordinals.join(', ')}: both count the devices that CUDA_VISIBLE_DEVICES leaves visible, so output and work are on different GPUs. Use one ordinal for the filter, deviceIds and CUDA.`;
  },

  detect(file, report) {
    const settings = settingsOf(file);
    for (const [i, second] of settings.entries()) {
      const first = settings.slice(0, i).find((each) => each.what !== second.what && !agrees(each, second));
      if (first) {
        report({ at: second.at, data: { first, second }, related: [{ at: first.at, message: `${first.what} is set here` }] });
        return;
      }
    }
    const several = settings.find((each) => each.what !== 'CUDA' && each.ordinals.length > 1);
    const mapping = several && !asksForDevice(file) ? firstMapping(file) : undefined;
    if (several && mapping)
      report({ at: mapping, data: { several }, related: [{ at: several.at, message: 'several GPUs are given here' }], severity: 'info' });
  },
});

/** Somewhere the device of an output is looked at, in whatever words. */
const asksForDevice = fileQuery((file) => file.hasToken('word', /^(device_id|deviceId|device_ordinal|ScopedDevice)$/));

/** The first output that is mapped on CUDA. */
function firstMapping(file: FileFacts): Call | undefined {
  return mappings(file)[0];
}

const mappings = fromFunctions((file, fn) =>
  fn.calls.filter((call) => {
    if (call.api?.name === 'ovrtx_map_render_var_output') return true;
    const device = /^map(_\w+)?$/.test(call.name) && file.language === 'python' ? call.keywords.get('device') : undefined;
    return device !== undefined && /^(CUDA|CUDA_ARRAY)$/.test(symbolOf(device) ?? '');
  }),
);

/** CUDA may use one of several; the ids of a product lie within the filter. */
function agrees(a: Setting, b: Setting): boolean {
  const [small, large] = a.ordinals.length <= b.ordinals.length ? [a, b] : [b, a];
  return small.ordinals.every((ordinal) => large.ordinals.includes(ordinal));
}

const filterName = /^active_?(cuda_?)?(gpus?|devices?)(_?(ids|filter|indices|ordinals))?$/i;
const idsName = /^device_?ids$/i;

const settingsIn = fromFunctions((_, fn) =>
  fn.events.flatMap((event) => {
    if (event.kind === 'call') return ofCall(event);
    const target = event.kind === 'assign' ? pathOf(event.target) : undefined;
    const what = target && whatIs(lastName(target));
    const ordinals = what && event.kind === 'assign' ? literals(event.value) : undefined;
    return what && ordinals ? [{ what, ordinals, at: event }] : [];
  }),
);

function settingsOf(file: FileFacts): readonly Setting[] {
  const found = settingsIn(file);
  const cuda = found.filter((each) => each.what === 'CUDA');
  // A program that initialises several devices uses each of them for something.
  return new Set(cuda.flatMap((each) => each.ordinals)).size > 1 ? found.filter((each) => each.what !== 'CUDA') : found;
}

function whatIs(name: string): Setting['what'] | undefined {
  if (filterName.test(name)) return 'the active-GPU filter';
  return idsName.test(name) ? 'deviceIds' : undefined;
}

function ofCall(call: Call): Setting[] {
  const settings: Setting[] = [];
  for (const [name, value] of call.keywords) {
    const what = whatIs(name);
    const ordinals = what && literals(value);
    if (what && ordinals) settings.push({ what, ordinals, at: call });
  }
  // `attribute("deviceIds").Set([1])`, `create_attribute("deviceIds", value=[1])`, `set("activeGpus", "1")`
  const named = call.args.find((arg) => arg.kind === 'string' && whatIs(arg.value.split(/[:/.]/).at(-1)!));
  const value =
    call.args.map(literals).find((found) => found !== undefined) ?? [...call.keywords.values()].map(literals).find((found) => found !== undefined);
  if (named?.kind === 'string' && value) settings.push({ what: whatIs(named.value.split(/[:/.]/).at(-1)!)!, ordinals: value, at: call });
  const ordinal = cudaOrdinal(call);
  const known = ordinal && valueAt(call, stripCasts(ordinal));
  if (known && known !== 'zero' && known.kind === 'number') settings.push({ what: 'CUDA', ordinals: [known.value], at: call });
  return settings;
}

function cudaOrdinal(call: Call): Expr | undefined {
  if (/^(torch\.cuda\.set_device|cupy\.cuda\.runtime\.setDevice|warp\.set_device)$/.test(call.callee)) return call.args[0];
  return /^(cudaSetDevice|cuDeviceGet)$/.test(call.api?.name ?? '') ? ordinalArgument(call) : undefined;
}

/** `[0, 1]`, `{1}`, `"0,1"`, `1`. */
function literals(value: Expr | undefined): readonly number[] | undefined {
  const bare = value && stripCasts(value);
  if (bare?.kind === 'number') return [bare.value];
  if (bare?.kind === 'string' && /^\d+(,\s*\d+)*$/.test(bare.value)) return bare.value.split(',').map(Number);
  if (bare?.kind !== 'init' || bare.entries.length === 0) return undefined;
  const numbers = bare.entries.map((entry) => (entry.value.kind === 'number' ? entry.value.value : undefined));
  return numbers.every((each) => each !== undefined) ? (numbers as number[]) : undefined;
}
