// Finds the table row that a spelling means.
import { own } from '../own';
import { cudaDriver, cuvid } from './cuda-driver';
import { cudaRuntime } from './cuda-runtime';
import { drm, egl, gl, windows } from './graphics';
import { libc, posix, win32 } from './os';
import { ovrtx } from './ovrtx';
import { pythonCalls, pythonMethods } from './python';
import type { Api, Spelling } from './types';
import { hppAliases, vma, vulkan } from './vulkan';

const cTables = [...cudaDriver, ...cuvid, ...cudaRuntime, ...vulkan, ...vma, ...gl, ...egl, ...windows, ...drm, ...ovrtx];
const plainTables = [...posix, ...win32, ...libc];

/** Suffixes that leave the meaning: extensions, versions of entry points, per-thread default stream, wrappers of loaders. */
function canonical(name: string): string {
  return name
    .replace(/_(?:f|fn|ptr|proc|func)$/i, '')
    .replace(/(?:_v\d+|_v\d+_ptsz|_ptsz|_ptds)$/, '')
    .replace(/(KHR|EXT|NVX|NV|AMD|OES|ARB)$/, '');
}

const byName = new Map<string, Api>();
for (const api of cTables) {
  byName.set(api.name, api);
  if (!byName.has(canonical(api.name))) byName.set(canonical(api.name), api);
}
const byUpperName = new Map([...byName.values()].map((api) => [api.name.toUpperCase(), api]));
const plain = new Map(plainTables.map((api) => [api.name, api]));
const python = new Map([...pythonCalls, ...pythonMethods].map((api) => [api.name, api]));

export interface Found {
  readonly api: Api;
  readonly spelling: Spelling;
}

export interface Spelled {
  readonly name: string;
  readonly callee: string;
  readonly isMember: boolean;
  /** The prefix of the API that the object is a table of, by its name: `egl` for `platform->egl.CreateSync()`. */
  readonly table: string | undefined;
  /** Declared type of a called variable or field. */
  type(): string | undefined;
  /** The arguments are what the API takes: as many, with addresses where it writes. */
  fits(api: Api): boolean;
  /** As many arguments as C takes, and the first is no struct. */
  takesHandle(api: Api): boolean;
}

function lookup(name: string): Api | undefined {
  const own = byName.get(name) ?? byName.get(canonical(name));
  if (own) return own;
  // GStreamer's loader of the driver: `CuMemcpy2DAsync`.
  if (/^Cu[A-Z]/.test(name)) return byName.get(canonical(`cu${name.slice(2)}`));
  // HIP mirrors both APIs of CUDA under one prefix.
  const mirrors = /^hip[A-Z]/.test(name) ? [`cuda${name.slice(3)}`, `cu${name.slice(3)}`] : [];
  const mirrored = mirrors.map((each) => byName.get(canonical(each))).find((api) => api !== undefined);
  return mirrored && { ...mirrored, family: 'hip' };
}

const found = new Map<string, Found | undefined>();

export function findC(spelled: Spelled): Found | undefined {
  const called = findSpelled(spelled);
  // A table of pointers under the names of vulkan.hpp takes what C takes, the handle first.
  return called?.spelling === 'hpp' && spelled.takesHandle(called.api) ? { ...called, spelling: 'dispatch' } : called;
}

function findSpelled(spelled: Spelled): Found | undefined {
  // Loaders that put the functions into a namespace: `gl::SignalSemaphoreEXT`.
  const api = /^(::)?gl::[A-Z]/.test(spelled.callee) ? lookup(`gl${spelled.name}`) : undefined;
  if (api) return { api, spelling: 'pointer' };
  const direct = cached(`${spelled.name} ${spelled.isMember}`, () => findDirect(spelled));
  if (direct) return direct;
  const isPlain = /^(::|std::|libc::)?\w+$/.test(spelled.callee);
  const type = spelled.type();
  const key = `${spelled.name} ${spelled.isMember} ${isPlain} ${type} ${spelled.table}`;
  return cached(key, () => search(spelled, type, isPlain)) ?? findField(spelled);
}

function cached(key: string, find: () => Found | undefined): Found | undefined {
  if (!found.has(key)) {
    if (found.size > 50_000) found.clear();
    found.set(key, find());
  }
  return found.get(key);
}

function findDirect({ name, isMember }: Spelled): Found | undefined {
  const api = lookup(name);
  return api && { api, spelling: isMember ? 'dispatch' : 'c' };
}

function search({ name, isMember, table }: Spelled, type: string | undefined, isPlain: boolean): Found | undefined {
  const typed = type && fromPointerType(type);
  if (typed) return { api: typed, spelling: 'pointer' };
  if (isMember) return findInTable(name, table) ?? findMember(name);
  if (plain.has(name) && isPlain) return { api: plain.get(name)!, spelling: 'c' };
  return findPointer(name);
}

/** `egl.CreateSync(...)`, `cu->MemFree(...)`: the table is named after the API, its fields after the functions without the prefix. */
function findInTable(name: string, table: string | undefined): Found | undefined {
  const api = table && /^[A-Z]/.test(name) ? byName.get(canonical(`${table}${name}`)) : undefined;
  return api && { api, spelling: 'dispatch' };
}

const tables =
  /^(?:m_|g_|s_|p_|_)?(egl|gl|cuda|cuvid|cu|hip)(?:_?(?:api|apis|fns?|funcs?|functions?|procs?|table|dispatch|lib|drv|driver|ext|loader))?_?$/i;

/** The prefix of the API whose functions a table of this name holds. */
export function tableOf(name: string | undefined): string | undefined {
  return name === undefined ? undefined : tables.exec(name)?.[1]?.toLowerCase();
}

/** Names that only the decoder's library has: tables of it go by any name. */
const ofDecoder = /^(Map|Unmap)VideoFrame(64)?$/;

/** `vk->GetMemoryFdKHR(...)` of a dispatch table, `device.getMemoryFdKHR(...)` of vulkan.hpp. */
function findMember(name: string): Found | undefined {
  if (ofDecoder.test(name)) return { api: byName.get(`cuvid${name}`)!, spelling: 'dispatch' };
  const table = /^[A-Z]/.test(name) ? byName.get(canonical(`vk${name}`)) : undefined;
  if (table) return { api: table, spelling: 'dispatch' };
  if (!/^[a-z]/.test(name)) return findPointer(name);
  const alias = own(hppAliases, name) ?? `vk${name[0]!.toUpperCase()}${name.slice(1).replace(/Unique$/, '')}`;
  const hpp = byName.get(canonical(alias));
  return hpp ? { api: hpp, spelling: 'hpp' } : findPointer(name);
}

/** A looked-up pointer: `fpGetMemoryFdKHR`, `pfn_vkGetMemoryFdKHR`, `g_vkGetMemoryFdKHR`. */
function findPointer(name: string): Found | undefined {
  const stem =
    /^(?:g_|m_|s_|p_)?(?:fp|pfn_?|PFN_?|p|func_?|ptr_?|my_?)?(?:_)?((?:vk|cu|gl|egl)?[A-Z]\w+|vk[A-Z]\w+|cu[a-zA-Z]\w+|egl[A-Z]\w+|gl[A-Z]\w+)$/.exec(
      name,
    )?.[1];
  if (!stem || stem === name) return undefined;
  const api = lookup(stem) ?? lookup(`vk${stem}`);
  return api && { api, spelling: 'pointer' };
}

const decorated = /^(?:m_|g_|s_|p_|_)|_$|(?:_?(?:[fF]n|[pP]tr|[pP]roc|[fF]unc|PFN|pfn)_?|KHR|EXT)$/;

/**
 * `getMemoryFd_`, `m_getMemoryFd`, `getMemoryFdFn`, `getMemoryFdKHR`: a pointer named after the function, without its prefix. Methods are
 * named so too, so the arguments have to fit.
 */
function findField(spelled: Spelled): Found | undefined {
  const decoder = spelled.isMember && /^(m|unm)apVideoFrame(64)?$/.test(spelled.name) ? byName.get(`cuvid${upperFirst(spelled.name)}`) : undefined;
  if (decoder) return spelled.fits(decoder) ? { api: decoder, spelling: 'pointer' } : undefined;
  if (!decorated.test(spelled.name)) return undefined;
  const known = cached(`field ${spelled.name}`, () => namedAfter(spelled.name));
  return known && spelled.fits(known.api) ? known : undefined;
}

function namedAfter(name: string): Found | undefined {
  const bare = name.replace(/^(?:m_|g_|s_|p_|_)/, '').replace(/(?:_?(?:[fF]n|[pP]tr|[pP]roc|[fF]unc|PFN|pfn))?_?$/, '');
  const stem = bare.replace(/^vk(?=[A-Z])/, '');
  const api = /^[a-zA-Z]\w+$/.test(stem) ? byName.get(canonical(`vk${upperFirst(stem)}`)) : undefined;
  return api && { api, spelling: 'pointer' };
}

function upperFirst(name: string): string {
  return name[0]!.toUpperCase() + name.slice(1);
}

/** `PFN_vkGetFenceFdKHR`, `PFNGLIMPORTMEMORYFDEXTPROC`, `decltype(&cuImportExternalMemory)`, `tcuMemFree` of the dynamic loader's header. */
function fromPointerType(type: string): Api | undefined {
  const bare = type.replace(/\bconst\b|[*&\s]/g, '');
  const named = /^(?:PFN_|t(?=cu[A-Z]))(\w+)$/.exec(bare)?.[1] ?? /^decltype\((?:::)?(\w+)\)$/.exec(bare)?.[1];
  if (named) return lookup(named);
  const upper = /^PFN([A-Z0-9]+)PROC$/.exec(bare)?.[1];
  return upper ? (byUpperName.get(upper) ?? byUpperName.get(upper.replace(/(KHR|EXT|NV|NVX|OES|ARB)$/, ''))) : undefined;
}

/** The row of a name as the tables write it, without guesses. */
export function apiNamed(name: string): Api | undefined {
  return byName.get(name) ?? byName.get(canonical(name)) ?? plain.get(name) ?? python.get(name);
}

/** Every name that `apiNamed` takes as it is. */
export function apiNames(): string[] {
  return [...byName.keys(), ...plain.keys(), ...python.keys()];
}

export function findPython(callee: string, name: string, isMember: boolean): Found | undefined {
  const api = python.get(callee) ?? (isMember ? python.get(`.${name}`) : undefined);
  return api && { api, spelling: 'python' };
}
