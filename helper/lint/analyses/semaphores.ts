// Vulkan and CUDA semaphores of a file: how they were created, and which values are signalled on them.
import type { Call, Event, Expr, FunctionFacts, Path } from '../facts/index';
import { addressOf, pathOf, stripCasts, symbolOf } from '../facts/paths';
import { callsTo } from '../flow/calls';
import { fieldAt, soleField, valueAt } from '../flow/definitions';
import { chainOf } from '../flow/visible';
import { handleType } from '../knowledge/index';
import { fileQuery, functionQuery } from '../memo/query';
import { fromFunctions } from '../memo/table';
import { eventId } from './cuda-events';

export type SemaphoreKind = 'timeline' | 'binary';

export interface Creation {
  readonly call: Call;
  readonly path: Path | undefined;
  readonly id: string | undefined;
  /** Undefined where the chain leads out of sight. */
  readonly kind: SemaphoreKind | undefined;
  /** Made to be exported: VkExportSemaphoreCreateInfo is on its chain. */
  readonly isShared: boolean;
}

const creationCalls = callsTo(/^vkCreateSemaphore$/);

/** Of one function. */
export const creationsOf = functionQuery((file, fn): readonly Creation[] =>
  fn.calls.flatMap((call) => {
    if (call.api?.name !== 'vkCreateSemaphore') return [];
    const path = call.api.path('semaphore');
    const chain = chainOf(file, call, 'info');
    const isShared = chain.structs.some((each) => /ExportSemaphoreCreateInfo/.test(each.type ?? ''));
    return [{ call, path, id: path && eventId(file, call.fn, path), kind: kindOf(call, chain), isShared }];
  }),
);

/** Of the whole file. */
export const creationsIn = fileQuery((file): readonly Creation[] =>
  [...new Set(creationCalls(file).map(({ fn }) => fn))].flatMap((fn) => creationsOf(file, fn)),
);

function kindOf(call: Call, { structs, complete }: ReturnType<typeof chainOf>): SemaphoreKind | undefined {
  const type = structs.find((each) => /SemaphoreTypeCreateInfo/.test(each.type ?? ''));
  if (!type) return complete && structs.every((each) => each.type !== undefined) ? 'binary' : undefined;
  const written = soleField(call, { kind: 'path', path: type.path, span: call.span }, 'semaphoreType');
  if (!written) return undefined;
  if (written.value === 'zero') return 'binary';
  const symbol = symbolOf(valueAs(written.at, written.value)) ?? '';
  return /TIMELINE|eTimeline/.test(symbol) ? 'timeline' : /BINARY|eBinary/.test(symbol) ? 'binary' : undefined;
}

function valueAs(at: Event, expr: Expr): Expr | undefined {
  const value = valueAt(at, expr);
  return value === 'zero' ? undefined : value;
}

export interface Import {
  readonly call: Call;
  readonly kind: SemaphoreKind;
  readonly symbol: string;
  /** Where the handle type is written. */
  readonly at: Event | Expr;
}

/** CUDA imports of semaphores whose handle type is visible, of one function. */
export const importsOf = functionQuery((_, fn): readonly Import[] =>
  fn.calls.flatMap((call) => {
    if (!/^(cuda|cu)ImportExternalSemaphore$/.test(call.api?.name ?? '')) return [];
    const written = soleField(call, call.api!.arg('desc'), 'type');
    const symbol = written && written.value !== 'zero' ? symbolOf(written.value) : undefined;
    const type = symbol ? handleType(symbol) : undefined;
    if (!written || !symbol || !type || !/^(fd|nt|kmt)$/.test(type.form)) return [];
    return [
      {
        call,
        kind: type.timeline ? 'timeline' : 'binary',
        symbol,
        at: written.at.kind === 'assign' && written.at.value === written.value ? written.at : (written.value as Expr),
      },
    ];
  }),
);

/** Those of the whole file. */
export const importsIn = fromFunctions(importsOf);

export interface Signal {
  readonly call: Call;
  readonly semaphore: Path | undefined;
  readonly value: Expr;
  /** Where the value is put into the descriptor. */
  readonly at: Event;
}

/** Signals with a value that the function shows, by CUDA and by Vulkan. */
export function signalsIn(fn: FunctionFacts): Signal[] {
  return fn.calls.flatMap((call) => signalOf(call) ?? []);
}

/** Waits of streams with a value that the function shows. */
export function waitsIn(fn: FunctionFacts): Signal[] {
  return fn.calls.flatMap((call) => {
    if (!/^(cuda|cu|hip)WaitExternalSemaphoresAsync$/.test(call.api?.name ?? '')) return [];
    return signalFrom(call, call.api!.path('semaphore'), call.api!.arg('params'), 'params.fence.value') ?? [];
  });
}

function signalOf(call: Call): Signal | undefined {
  const name = call.api?.name ?? '';
  if (/^(cuda|cu)SignalExternalSemaphoresAsync$/.test(name))
    return signalFrom(call, call.api!.path('semaphore'), call.api!.arg('params'), 'params.fence.value');
  if (name === 'vkSignalSemaphore') return signalFrom(call, pathIn(call, call.api!.arg('info'), 'semaphore'), call.api!.arg('info'), 'value');
  return /^vkQueueSubmit2?$/.test(name) ? submitted(call) : undefined;
}

function pathIn(call: Call, struct: Expr | undefined, field: string): Path | undefined {
  const { values } = fieldAt(call, struct, field);
  const [only] = values;
  return values.length === 1 && only && only.value !== 'zero' ? pathOf(only.value) : undefined;
}

function signalFrom(call: Call, semaphore: Path | undefined, struct: Expr | undefined, field: string): Signal | undefined {
  const found = soleField(call, struct, field);
  return found && found.value !== 'zero' ? { call, semaphore, value: found.value, at: found.at } : undefined;
}

/** `pNext` of a submit to VkTimelineSemaphoreSubmitInfo, whose single value is given by address. */
function submitted(call: Call): Signal | undefined {
  const info = call.api!.arg('info');
  const chained = pathIn(call, info, 'pNext');
  const values = chained && soleField(call, { kind: 'path', path: chained, span: call.span }, 'pSignalSemaphoreValues');
  const path = values && values.value !== 'zero' ? addressOf(values.value) : undefined;
  if (!values || !path) return undefined;
  return { call, semaphore: pathIn(call, info, 'pSignalSemaphores'), value: { kind: 'path', path, span: values.at.span }, at: values.at };
}

/** The number a value certainly is. */
export function constantOf(at: Event, value: Expr): number | undefined {
  const known = valueAt(at, stripCasts(value));
  const bare = known && known !== 'zero' ? stripCasts(known) : undefined;
  return known === 'zero' ? 0 : bare?.kind === 'number' ? bare.value : undefined;
}
