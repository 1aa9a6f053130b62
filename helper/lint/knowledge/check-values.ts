// What the value of a check means: `if (OK(f()))` goes on when f succeeded, `if (failed(f(), "f"))` when it did not.
import type { Consequence } from '../facts/events';

export type CheckValue =
  /** True on success. */
  | { readonly kind: 'ok' }
  /** True, or not zero, on failure. */
  | { readonly kind: 'failed' }
  /** A function of the file: its body tells. */
  | { readonly kind: 'own' }
  /** A macro that stands for the call of a function, with these parameters of the macro; something else is undefined. */
  | { readonly kind: 'call'; readonly name: string; readonly params: readonly (number | undefined)[] };

export interface Check {
  readonly consequence: Consequence;
  /** The name alone decides nothing. */
  readonly believed: boolean;
  readonly value: CheckValue | undefined;
  /** What a macro returns on failure: a name, a number as text, or a parameter of the macro by its place. */
  readonly returned?: string | number | undefined;
  /** A macro that is given a function and its arguments. */
  readonly applies?: boolean | undefined;
}

const success = '(?:CUDA_SUCCESS|cudaSuccess|VK_SUCCESS|hipSuccess|vk::Result::eSuccess)';
const compared = (op: string) => new RegExp(String.raw`^[\w\s()]+${op}\s*${success}[\s)]*$|^[\s(]*${success}\s*${op}[\w\s()]+$`);
const equal = compared('==');
const unequal = compared('!=');

export interface Macro {
  readonly params: readonly string[];
  readonly body: string;
  /** It is given a function and the arguments to call it with, `CALL(cuCtxPushCurrent, context)`: the first parameter stands for the call. */
  readonly applies: boolean;
}

/** `run(name args, #name)` and `run(fn(__VA_ARGS__), #fn)`: the call that they write is their first argument. */
export function withoutApplication([first, second, ...rest]: readonly string[], body: string): Macro {
  const params = [first, second, ...rest].filter((each) => each !== undefined);
  // Of a head that is half typed, a parameter may be anything.
  if (!isName(first) || !(second === '...' || isName(second))) return { params, body, applies: false };
  const variadic =
    second === '...' ? body.replace(new RegExp(String.raw`(?<![#\w])\(?\b${first}\b\)?\s*\(\s*(##)?__VA_ARGS__\s*\)`, 'g'), first) : body;
  if (variadic !== body) return { params, body: variadic, applies: true };
  const apart = body.replace(new RegExp(String.raw`(?<![#\w])\(?\b${first}\b\)? *\(?\b${second}\b\)?`, 'g'), first);
  return apart === body ? { params, body, applies: false } : { params: [first, ...rest], body: apart, applies: false };
}

function isName(param: string | undefined): param is string {
  return param !== undefined && /^\w+$/.test(param);
}

/** Of a macro that is an expression, or a block of one statement. */
export function macroValue(params: readonly string[], body: string): CheckValue | undefined {
  const bare = withoutBlock(body.replace(/\\\r?\n|\s+/g, ' ').trim());
  if (equal.test(bare)) return { kind: 'ok' };
  if (unequal.test(bare)) return { kind: 'failed' };
  const call = /^((?:\w+::)*[A-Za-z_]\w*) ?\((.*)\)$/.exec(withoutBrackets(bare.replace(/ ?;$/, '')));
  const list = call && argumentsOf(call[2]!);
  if (!list || /^(if|while|for|switch|sizeof|do|return)$/.test(call[1]!)) return undefined;
  const given = list.map((each) => params.indexOf(each.replace(/^\(+|\)+$/g, '').trim()));
  return given.some((each) => each >= 0) ? { kind: 'call', name: call[1]!, params: given.map((each) => (each < 0 ? undefined : each)) } : undefined;
}

/** `f(x);` of `{ f(x); }` and `do { f(x); } while (0)`. */
function withoutBlock(text: string): string {
  const inner = /^(?:do ?)?\{(.*)\}(?: ?while ?\( ?(?:0|false) ?\))?$/.exec(text)?.[1];
  return inner?.trim() ?? text;
}

function withoutBrackets(text: string): string {
  const inner = /^\((.*)\)$/.exec(text)?.[1]?.trim();
  return inner !== undefined && argumentsOf(inner) ? withoutBrackets(inner) : text;
}

/** Split at commas outside of brackets; undefined when the text is more than one list. */
function argumentsOf(text: string): string[] | undefined {
  const parts = [''];
  let depth = 0;
  for (const token of text.match(/"(?:\\.|[^"\\])*"|./g) ?? []) {
    depth += token === '(' ? 1 : token === ')' ? -1 : 0;
    if (depth < 0) return undefined;
    if (token === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += token;
  }
  return parts.map((each) => each.trim());
}
