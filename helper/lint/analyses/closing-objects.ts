// Local variables that may close what they hold when they die: objects with a destructor, guards, what an attribute cleans up.
import type { Assign, ClassFacts, Event, Expr, FileFacts, FunctionFacts, Path, Token, Variable } from '../facts/index';
import { expressionsOf, stripCasts, walk } from '../facts/paths';
import { elementType, ownerOf } from '../flow/owner-types';
import { bareType, fieldOrder } from '../knowledge/index';
import { splitTemplate } from '../text/words';

const scalar =
  /^(int|int32_t|intptr_t|int64_t|long|longlong|unsigned|unsignedint|uint32_t|uint64_t|uintptr_t|size_t|void|bool|HANDLE|EGLint|EGLAttrib|EGLAttribKHR)$/;

/** Structs that go to the kernel. */
const ofKernel = /^(pollfd|dma_buf_\w+|drm_prime_\w+|sync_\w+_data)$/;

/** Structs, enumerations and handles of the C interfaces, and what vulkan.hpp calls them. */
const ofApi = /^((Vk|CU|cuda|hip|EGL|GL|DL)[A-Z]\w*|CUDA_\w+|GL\w+|vk::(?!raii|Unique|Shared)\w+)$/;

/** GLib, systemd and their like end it with a function that another line names. */
const cleanedType = /^(_?[a-z]+_auto_?(ptr|free|list|slist|queue|fd|close)?|_cleanup_\w+_)$/;

/** Values of the library that end no more than what they are made of ends. */
const wrapped = /^std::(?:pair|tuple|optional|expected|atomic|variant|array|vector|deque|list|span)<(.*)>$/;

/** Integers, structs of the APIs and of the kernel; in C all that GLib does not clean up. */
export function isPlainType(file: FileFacts, type: string): boolean {
  if (cleanedType.test(type)) return false;
  return file.language === 'c' || scalar.test(type) || ofApi.test(type) || ofKernel.test(type) || fieldOrder(type) !== undefined;
}

/** Something that the file does not declare may have a destructor; `field`: the one in question. */
function mayEnd(file: FileFacts, type: string, field: string | undefined, depth = 4): boolean {
  const bare = bareType(type);
  if (/[*&]$/.test(type) || bare === '' || bare === 'auto' || isPlainType(file, bare)) return false;
  if (file.language === 'c') return true;
  const inner = wrapped.exec(bare)?.[1];
  if (inner !== undefined) return splitTemplate(inner).some((each) => !/^\d+$/.test(each) && mayEnd(file, each, field, depth));
  const owner = ownerOf(file, bare);
  if (!owner || owner.destructorElsewhere || depth === 0) return true;
  return (owner.destructor !== undefined && touches(owner.destructor, field)) || owner.bases.some((base) => mayEnd(file, base, field, depth - 1));
}

/** A destructor that has to do with the field, or calls what may. */
function touches({ degraded, events }: FunctionFacts, field: string | undefined): boolean {
  return degraded !== undefined || events.some((event) => callsOwn(event, field) || expressionsOf(event).some((expr) => names(expr, field)));
}

function callsOwn(event: Event, field: string | undefined): boolean {
  if (event.kind === 'escape') return true;
  return (
    event.kind === 'call' && (field === undefined || (!event.api && !event.receiver && event.form === 'call' && !/printf|puts|log/i.test(event.name)))
  );
}

function names(expr: Expr, field: string | undefined): boolean {
  const isIt = ({ kind, root, steps }: Path) => (kind === 'this' ? steps.length === 0 || steps[0] === `.${field}` : root === field);
  return walk(expr).some((part) => part.kind === 'path' && isIt(part.path));
}

/** The variable, or an object in it on the way to what `steps` name, may close that when it dies. */
export function mayCloseAtEnd(file: FileFacts, fn: FunctionFacts, variable: Variable, steps: readonly string[]): boolean {
  let type: string | undefined = variable.type;
  const [first] = steps;
  if (mayEnd(file, type, first?.startsWith('.') ? first.slice(1) : undefined) || isCleanedUp(file, fn, variable)) return true;
  for (const [i, step] of steps.entries()) {
    type = step.startsWith('.') ? fieldOf(file, type, step.slice(1)) : elementType(type);
    if (type === undefined) return false;
    const next = steps[i + 1];
    if (mayEnd(file, type, next?.startsWith('.') ? next.slice(1) : undefined)) return true;
  }
  return false;
}

/** The same for a local path. */
export function isClosedAtEnd(file: FileFacts, fn: FunctionFacts, { root, steps }: Path): boolean {
  return fn.locals.some((each) => each.name === root && mayCloseAtEnd(file, fn, each, steps));
}

function fieldOf(file: FileFacts, type: string, name: string): string | undefined {
  return ownerOf(file, type)?.fields.find((field) => field.name === name)?.type;
}

/** `__attribute__((cleanup(f))) int fd`, `[[gnu::cleanup(f)]] int fd`. */
function isCleanedUp(file: FileFacts, fn: FunctionFacts, { span }: Variable): boolean {
  const tokens = file.tokensOf(fn);
  const at = tokens.findIndex((token) => token.span.start === span.start);
  const isEnd = ({ text }: Token) => /^[;{}]$/.test(text);
  const start = tokens.slice(0, Math.max(at, 0)).findLastIndex(isEnd) + 1;
  const end = tokens.findIndex((token, i) => i > at && (isEnd(token) || token.text === '='));
  return tokens.slice(start, end).some(({ kind, text }) => kind === 'word' && /^(__)?cleanup(__)?$/.test(text));
}

/** What `Guard guard{fd}` and `auto owner = Owner{handle}` make an object of that may close it. */
export function givenToCloser({ declares, value }: Assign, file: FileFacts): readonly Path[] {
  const bare = value && stripCasts(value);
  if (!declares || bare?.kind !== 'init' || !mayEnd(file, declares.type, undefined)) return [];
  return walk(bare).flatMap((part) => (part.kind === 'path' ? [part.path] : []));
}

/** The same for objects that may refer to the variable, and close what is put there later. */
export function guardedBy(event: Assign, file: FileFacts): readonly Path[] {
  return event.declares && mayRefer(file, ownerOf(file, event.declares.type)) ? givenToCloser(event, file) : [];
}

function mayRefer(file: FileFacts, owner: ClassFacts | undefined): boolean {
  if (!owner) return file.language !== 'c';
  return (
    owner.constructorElsewhere || owner.methods.some(({ kind }) => kind === 'constructor') || owner.fields.some(({ type }) => /[*&]$/.test(type))
  );
}
