import type { Expr, Path } from '../facts/expr';

/**
 * What a call does to the seam. One call may do several things.
 * `sync` blocks the host; `wait` makes a stream or queue wait; `destroy` ends an object; `close` ends an OS handle;
 * `free` ends memory; `launch` enqueues asynchronous work; `copy` is work whose meaning is a copy.
 */
export type Role =
  | 'create'
  | 'destroy'
  | 'acquire'
  | 'export'
  | 'import'
  | 'map'
  | 'unmap'
  | 'wait'
  | 'signal'
  | 'record'
  | 'launch'
  | 'copy'
  | 'submit'
  | 'sync'
  | 'close'
  | 'free'
  | 'alloc'
  | 'dup'
  | 'send'
  | 'read'
  | 'query'
  | 'current'
  | 'push'
  | 'pop'
  | 'register'
  | 'unregister'
  | 'open'
  | 'bind'
  | 'update'
  | 'reset'
  | 'begin'
  | 'end'
  | 'barrier'
  | 'enumerate';

/** How a call tells success. `void`: it does not; `fd`: a value below zero is failure; `handle`: null is failure. */
export type ResultKind = 'CUresult' | 'cudaError' | 'VkResult' | 'bool' | 'fd' | 'handle' | 'errno' | 'void' | 'object';

export type Family =
  | 'cuda-driver'
  | 'cuda-runtime'
  | 'vulkan'
  | 'vma'
  | 'gl'
  | 'egl'
  | 'posix'
  | 'win32'
  | 'c'
  | 'cuvid'
  | 'nvml'
  | 'dlpack'
  | 'metal'
  | 'ovrtx'
  | 'torch'
  | 'cupy'
  | 'warp'
  | 'hip'
  | 'python'
  | 'own';

export interface ApiParam {
  readonly name: string;
  /** The callee writes through it. */
  readonly out: boolean;
  /** A descriptor struct of this type is passed by pointer. */
  readonly descriptor: string | undefined;
}

export interface Api {
  /** C name without extension suffix where the table has none; `Class.method` or `.method` in Python. */
  readonly name: string;
  readonly family: Family;
  readonly does: ReadonlySet<Role>;
  readonly result: ResultKind;
  readonly params: readonly ApiParam[];
  /** Parameters of which it takes ownership, on success where it tells success. Only functions of the project say so here. */
  readonly consumes?: ReadonlySet<string> | undefined;
}

export type Spelling = 'c' | 'dispatch' | 'pointer' | 'hpp' | 'python';

/** One call seen through the API table. */
export interface ApiBinding {
  readonly api: Api;
  readonly name: string;
  readonly spelling: Spelling;
  does(role: Role): boolean;
  /** The argument by its table name, as written (`&desc`); undefined when absent or when vulkan.hpp returns it instead. */
  arg(name: string): Expr | undefined;
  /** The path that an argument names, address-of and casts removed; for outputs that vulkan.hpp returns, where the value goes. */
  path(name: string): Path | undefined;
}
