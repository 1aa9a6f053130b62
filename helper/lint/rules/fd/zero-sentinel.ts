/**
 * # fd/zero-sentinel
 *
 * ## What it does
 * Reports a struct with a file descriptor in it that starts filled with zeros, while a later clean-up closes the descriptor when it is
 * "not negative". With the preview rules also a struct whose descriptor a default or a constructor sets to 0, when other functions or
 * classes of the file close it and some object gets there before its descriptor is set; objects that one function fills with zeros and
 * another closes; and elements that a class's container makes by number.
 *
 * ## Why is this bad
 * 0 is a real descriptor, mostly standard input. If the start fails before the descriptor is set, the clean-up closes descriptor 0; the
 * next `open` of any thread then gets the number 0, and from there on the fault wanders.
 *
 * ## Example
 * ```c
 * #include <cuda.h>
 * #include <stdlib.h>
 * #include <unistd.h>
 * struct image { CUexternalMemory memory; int fd; };
 * int image_init(struct image **out, int shared, CUcontext context)
 * {
 *     struct image *image = calloc(1, sizeof(*image));
 *     if (cuCtxPushCurrent(context) != CUDA_SUCCESS)
 *         goto error;
 *     image->fd = dup(shared);
 *     *out = image;
 *     return 0;
 * error:
 *     if (image->fd >= 0)
 *         close(image->fd);
 *     free(image);
 *     return -1;
 * }
 * ```
 *
 * ## Use instead
 * ```c
 * #include <cuda.h>
 * #include <stdlib.h>
 * #include <unistd.h>
 * struct image { CUexternalMemory memory; int fd; };
 * int image_init(struct image **out, int shared, CUcontext context)
 * {
 *     struct image *image = calloc(1, sizeof(*image));
 *     image->fd = -1;
 *     if (cuCtxPushCurrent(context) != CUDA_SUCCESS)
 *         goto error;
 *     image->fd = dup(shared);
 *     *out = image;
 *     return 0;
 * error:
 *     if (image->fd >= 0)
 *         close(image->fd);
 *     free(image);
 *     return -1;
 * }
 * ```
 *
 * ## Fix safety
 * A suggestion: -1 goes in behind the zeroing, or into the initialiser of a field, which is safe. There is none behind an allocation, whose
 * failure the code has to look at first.
 *
 * ## What it cannot see
 * Structs that unknown functions fill, zeroed and cleaned in different files, and clean-ups under a further condition.
 */
import { zeroElements } from '../../analyses/zero-elements';
import { zeroFields, zeroObjects } from '../../analyses/zero-fields';
import { type ZeroSentinel, zeroSentinels } from '../../analyses/zero-sentinels';
import type { Event, Expr, FileFacts, Path, Variable } from '../../facts/index';
import { lastName, pathText } from '../../facts/paths';
import { appendStatement, replace } from '../edits';
import { meansTheSame } from '../names';
import { cFamily, defineRule, type Fix } from '../rule';

interface Data {
  readonly field: string;
  readonly sentinel: ZeroSentinel;
}

export const rule = defineRule<Data>({
  meta: {
    id: 'fd/zero-sentinel',
    summary: 'A struct starts filled with zeros although its clean-up takes every descriptor that is not negative for open.',
    severity: 'warning',
    tier: 'B',
    precision: 'certain',
    fix: 'suggestion',
    languages: cFamily,
    group: 'stable',
    since: '0.1.0',
    evidence: 'twins',
  },

  message({ field }) {
    return `\`${field}\` starts as 0, which is a real descriptor, and the clean-up closes it when it is not negative: a failure before it is set closes somebody else's descriptor 0. Set it to -1 first.`;
  },

  detect(file, report) {
    const known = zeroSentinels(file).map((sentinel) => ({ sentinel, isPreview: false }));
    const others = [...zeroFields(file), ...zeroObjects(file), ...zeroElements(file)].filter(
      ({ at }) => !known.some(({ sentinel }) => sentinel.at === at),
    );
    for (const { sentinel, isPreview } of [...known, ...others.map((each) => ({ sentinel: each, isPreview: true }))]) {
      const { at, field, close } = sentinel;
      const related = [{ at: close, message: 'closed here whenever it is not negative' }];
      report({ at, data: { field: pathText(field).replace('[]', '[i]'), sentinel }, related, isPreview });
    }
  },

  fix({ data: { sentinel } }, file) {
    const { at, close, field } = sentinel;
    if ('init' in at) return startWith(file, at, field);
    // Of an element of an array only the loop around it knows which one it is.
    if (field.steps.some((step) => step.startsWith('['))) return undefined;
    const written = at.fn === close.fn && !allocates(at) ? close.api?.arg('fd') : undefined;
    const edit = written && meansTheSame(file, written, close, at) && appendStatement(file, at, `${file.source(written)} = -1;`);
    return edit ? { title: `Set \`${file.source(written)}\` to -1`, edits: [edit] } : undefined;
  },
});

/** Not where the field is a struct, or an array of them, with the descriptor inside. */
function startWith(file: FileFacts, { init, name }: Variable, field: Path): Fix | undefined {
  return init && lastName(field) === name ? { title: 'Start with -1', edits: [replace(init, initOf(file, init))], safety: 'safe' } : undefined;
}

/** `-1`, or `{-1}` for braces. */
function initOf(file: FileFacts, init: Expr): string {
  return file.source(init).startsWith('{') ? '{-1}' : '-1';
}

/** The memory may be missing. */
function allocates(event: Event): boolean {
  return event.kind === 'assign' && event.value?.kind === 'call';
}
