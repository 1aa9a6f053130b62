// Check macros and checking functions: what happens when the call inside them fails. Inferred from a body when the file shows it,
// else from the table, else unknown. Unknown never leads to a finding on a failure path.

import type { Consequence } from '../facts/events';
import { own } from '../own';

const known: Readonly<Record<string, Consequence>> = {
  assert: 'abort',
  checkCudaErrors: 'abort',
  checkCudaDriverErrors: 'abort',
  NVVK_CHECK: 'abort',
  NVVK_FAIL_RETURN: 'return',
  NVVK_FAIL_REPORT: 'log',
  CU_CHECK_IGNORE: 'log',
  CHECK_CU: 'log',
  CHECK_CUDA_RESULT_RETURN: 'return',
  GMB_CUDA_CALL_NULLPTR: 'return',
  CU_CHECK_VOID: 'return',
  SLANG_CUDA_RETURN_ON_FAIL: 'return',
  SLANG_CUDA_RETURN_ON_FAIL_REPORT: 'return',
  SLANG_VK_RETURN_ON_FAIL: 'return',
  SLANG_RETURN_ON_FAIL: 'return',
  SLANG_CUDA_ASSERT_ON_FAIL: 'abort',
  FALCOR_CUDA_CHECK: 'throw',
  CUDA_CHECK_THROW: 'throw',
  VK_CHECK_THROW: 'throw',
  NGX_CHECK_THROW: 'throw',
  TORCH_CHECK: 'throw',
  C10_CUDA_CHECK: 'throw',
  AT_CUDA_CHECK: 'throw',
  CL_CHECK: 'unknown',
};

const byName: readonly [RegExp, Consequence][] = [
  [/NO_?THROW|NO_?EXCEPT/i, 'log'],
  [/_?RETURN|_RET\b/, 'return'],
  [/THROW/i, 'throw'],
  [/ASSERT|ABORT|FATAL|_OR_DIE|_EXIT/i, 'abort'],
  [/IGNORE|WARN|_LOG|REPORT/, 'log'],
];

/** Names that look like a check; only believed around a call whose result is a status. */
const looksLikeCheck = /check|verify|expect|ensure|require|must|safe_?call|_call$|^VK$|^CU$|^CUDA$|_ok$|assert|throw|return_on|warn_?(on|if)?(_|$)/i;

export function knownConsequence(name: string): Consequence | undefined {
  return own(known, name);
}

const guesses = new Map<string, Consequence | undefined>();

export function guessedConsequence(name: string): Consequence | undefined {
  if (!guesses.has(name)) {
    if (guesses.size > 50_000) guesses.clear();
    guesses.set(name, guess(name));
  }
  return guesses.get(name);
}

function guess(name: string): Consequence | undefined {
  if (!looksLikeCheck.test(name)) return undefined;
  return byName.find(([pattern]) => pattern.test(name))?.[1] ?? 'unknown';
}

export interface Inferred {
  readonly consequence: Consequence;
  /** The target of a `goto`. */
  readonly label: string | undefined;
  /** The name or number that a macro returns. */
  readonly returned?: string | undefined;
}

/** What a macro or function body does to its caller on failure. */
export function inferConsequence(body: string, isMacro: boolean): Inferred {
  const bare = body.replace(/"(?:\\.|[^"\\])*"/g, '""').replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, ' ');
  if (/\b(abort|exit|_exit|quick_exit|terminate|__builtin_trap|assert|DebugBreak|std::terminate)\s*\(/.test(bare))
    return { consequence: 'abort', label: undefined };
  if (/\bthrow\b|\bstd::rethrow_exception\b/.test(bare)) return { consequence: 'throw', label: undefined };
  const label = isMacro ? /\bgoto\s+(\w+)/.exec(bare)?.[1] : undefined;
  if (label) return { consequence: 'goto', label };
  if (isMacro && /\breturn\b/.test(bare)) return { consequence: 'return', label: undefined, returned: returnedIn(bare) };
  // A body that hands the result to something else hides what happens.
  const delegates = /\b(?!if\b|while\b|do\b|for\b|switch\b|sizeof\b|fprintf\b|printf\b|fputs\b|puts\b|perror\b)[A-Za-z_]\w*\s*\(/.test(
    bare.replace(/\bcuda(GetErrorString|GetErrorName)\s*\(|\bcuGetError\w+\s*\(/g, ''),
  );
  return { consequence: delegates ? 'unknown' : 'log', label: undefined };
}

/** `Status::Failed` of the only `return Status::Failed;`. */
function returnedIn(body: string): string | undefined {
  const [only, ...more] = [...body.matchAll(/\breturn\b([^;}]*)/g)].map((found) => found[1]!.replace(/[\\\s]/g, ''));
  const bare = only?.replace(/^\((.*)\)$/, '$1');
  return more.length === 0 && bare !== undefined && /^-?[\w:]+$/.test(bare) ? bare : undefined;
}

export const neverReturning = new Set([
  'abort',
  'exit',
  '_exit',
  'quick_exit',
  'terminate',
  '__builtin_trap',
  '__builtin_unreachable',
  '_Exit',
  'longjmp',
]);
