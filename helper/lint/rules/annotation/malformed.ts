/**
 * # annotation/malformed
 *
 * ## What it does
 * Reports a comment that begins with `seamscope:` and tells the linter nothing: an unknown word, a name that is no parameter, or no
 * declaration behind it.
 *
 * ## Why is this bad
 * Its writer wanted a function or a check macro to be known. It is not, so faults around its calls stay hidden.
 *
 * ## Example
 * ```cpp
 * #include <cuda_runtime.h>
 * // seamscope: takes-ownership(fd)
 * void adopt(int slot, int shared);
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cuda_runtime.h>
 * // seamscope: takes-ownership(shared)
 * void adopt(int slot, int shared);
 * ```
 *
 * ## What it cannot see
 * Whether the function does what the annotation says.
 */
import { cFamily, defineStageRule } from '../rule';

export const rule = defineStageRule<{ readonly written: string }>({
  meta: {
    id: 'annotation/malformed',
    summary: 'An annotation for the linter says nothing that it understands.',
    severity: 'warning',
    tier: 'A',
    precision: 'certain',
    fix: 'none',
    languages: [...cFamily, 'python'],
    group: 'stable',
    since: '0.1.0',
    evidence: 'the text itself',
  },

  message({ written }) {
    return `\`${written}\` tells the linter nothing: it has to stand before a function or #define and say takes-ownership, closes, waits, signals or destroys with names of parameters, returns-ownership, or check with return, throw, abort, log or jump LABEL.`;
  },
});
