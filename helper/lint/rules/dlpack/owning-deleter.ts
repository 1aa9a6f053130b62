/**
 * # dlpack/owning-deleter
 *
 * ## What it does
 * Reports the deleter of a view over borrowed memory that frees the pixels: a DLPack deleter, the deleter of `torch::from_blob`, or that of
 * a pybind11 or nanobind capsule. Borrowed is what was mapped, belongs to another object, or comes in through a parameter of a function
 * that makes views. In Python, with the preview rules, a deleter made by `ctypes`.
 *
 * ## Why is this bad
 * The producing allocation owns the pixels and outlives the views of single frames. A deleter that frees them takes the memory away from
 * the renderer, which writes its next frame into it, and from every other view.
 *
 * ## Example
 * ```cpp
 * #include <cuda_runtime.h>
 * #include <dlpack/dlpack.h>
 * class Renderer {
 *  public:
 *     ~Renderer() { cudaFree(pixels_); }
 *     DLManagedTensor* frame() {
 *         auto* view = new DLManagedTensor{};
 *         view->dl_tensor.data = pixels_;
 *         view->manager_ctx = this;
 *         view->deleter = [](DLManagedTensor* self) {
 *             cudaFree(static_cast<Renderer*>(self->manager_ctx)->pixels_);
 *             delete self;
 *         };
 *         return view;
 *     }
 *  private:
 *     void* pixels_;
 * };
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cuda_runtime.h>
 * #include <dlpack/dlpack.h>
 * class Renderer {
 *  public:
 *     ~Renderer() { cudaFree(pixels_); }
 *     DLManagedTensor* frame() {
 *         auto* view = new DLManagedTensor{};
 *         view->dl_tensor.data = pixels_;
 *         view->manager_ctx = this;
 *         view->deleter = [](DLManagedTensor* self) { delete self; };
 *         return view;
 *     }
 *  private:
 *     void* pixels_;
 * };
 * ```
 *
 * ## Fix safety
 * A suggestion: the call that frees goes. When the view is to own the pixels after all, their producer has to give them up instead.
 *
 * ## What it cannot see
 * Who owns a parameter or a field, unless a caller or another method of the file shows it: where only names tell, it shows with the preview
 * rules only, where nothing does, the rule is silent.
 */
import { freedByDeleters } from '../../analyses/ctypes-deleters';
import { originOf, type View, viewsIn } from '../../analyses/dlpack-views';
import type { Call, Expr, FileFacts, FunctionFacts, Path } from '../../facts/index';
import { isWithin, lastName, pathOf, samePath, stripCasts, walk } from '../../facts/paths';
import { valueAt } from '../../flow/definitions';
import { dominates } from '../../flow/order';
import { resolveCallee } from '../../flow/program';
import { removeStatement } from '../edits';
import { cFamily, defineRule } from '../rule';

interface Data {
  readonly what: 'pixels' | 'producer';
  readonly how: string;
}

export const rule = defineRule<Data>({
  meta: {
    id: 'dlpack/owning-deleter',
    summary: 'The deleter of a view frees pixels that belong to the producer.',
    severity: 'error',
    tier: 'B',
    precision: 'likely',
    fix: 'suggestion',
    languages: [...cFamily, 'python'],
    group: 'stable',
    since: '0.1.0',
    evidence: 'twins',
  },

  message({ what, how }) {
    return `The deleter ${what === 'pixels' ? 'frees the pixels' : 'ends the producer'} of a view over borrowed memory with ${how}: the producer goes on using it, so the next frame is written to freed memory. Free only what the view itself allocated (the struct, shape, strides), or drop a reference.`;
  },

  detect(file, report) {
    for (const { free, data } of freedByDeleters(file)) {
      const related = [{ at: data, message: 'the view is made over this memory' }];
      report({ at: free, data: { what: 'pixels', how: `\`${free.name}\`` }, related, isPreview: true });
    }
    const seen = new Set<Call>();
    const views = file.subjects.flatMap((fn) => viewsIn(file, fn));
    for (const { view, call } of views.flatMap((each) => each.deleter.calls.map((call) => ({ view: each, call })))) {
      const found = seen.has(call) ? undefined : freed(file, view, call);
      if (!found) continue;
      seen.add(call);
      const { what, by, isGuess } = found;
      const helper = by === call ? [] : [{ at: by, message: 'freed here' }];
      const how = by.form === 'delete' ? '`delete`' : `\`${by.name}\``;
      report({ at: call, data: { what, how }, related: [...helper, { at: view.at, message: 'the view is made here' }], isPreview: isGuess });
    }
  },

  fix({ at }, file) {
    // A function of Python may not be left without a statement.
    const edit = file.language === 'python' ? undefined : removeStatement(file, at);
    return edit && { title: 'Leave the pixels to their producer', edits: [edit] };
  },
});

const freeing =
  /^(free|aligned_free|_aligned_free|operator delete|munmap|vmaFreeMemory|vmaDestroyBuffer|vmaDestroyImage|vmaUnmapMemory|vkFreeMemory|vkDestroyBuffer|vkDestroyImage|vkUnmapMemory)$/;

function frees(call: Call): boolean {
  return (
    call.form === 'delete' ||
    freeing.test(call.name) ||
    (call.api !== undefined && (call.api.does('free') || /^(cudaDestroyExternalMemory|cuDestroyExternalMemory)$/.test(call.api.name)))
  );
}

interface Freed {
  readonly what: Data['what'];
  /** The call that frees: the deleter's own, or one in a helper that it calls. */
  readonly by: Call;
  /** Only names tell that it is borrowed, or it is something else of the struct that the pixels lie in. */
  readonly isGuess: boolean;
}

/** What the deleter frees by this call that the function which made the view only borrowed. */
function freed(file: FileFacts, view: View, call: Call): Freed | undefined {
  if (isGuarded(call)) return undefined;
  const ended = frees(call) ? call.args.map((arg) => ({ arg, by: call })) : endedByHelper(file, call);
  for (const { arg, by } of ended) {
    const written = valueAt(call, arg);
    const path = written === undefined || written === 'zero' ? undefined : pathThroughCast(written);
    const part = path && partOf(view.deleter, call, path);
    const found = part && borrowedPart(file, view, part, by);
    if (found) return { ...found, by, isGuess: found.isGuess || by !== call };
  }
  return undefined;
}

function borrowedPart(file: FileFacts, view: View, { kind, field }: Part, by: Call): Omit<Freed, 'by'> | undefined {
  const source = kind === 'data' ? view.data : sourceOf(view, field);
  const isContext = kind === 'context' && field === undefined;
  const origin = source && originOf(file, view.at, source);
  if (origin) return /borrowed|named/.test(origin) ? { what: isContext ? 'producer' : 'pixels', isGuess: origin === 'named' } : undefined;
  return field !== undefined && freesMemory(by) && isLentContext(file, view) ? { what: 'producer', isGuess: true } : undefined;
}

/** Arguments that a function of the file frees right away. */
function endedByHelper(file: FileFacts, call: Call): { arg: Expr; by: Call }[] {
  const callee = call.api || call.name === 'deleter' ? undefined : resolveCallee(file, call);
  return (callee?.calls ?? []).filter(frees).flatMap((by) =>
    by.args.flatMap((each) => {
      const path = pathOf(each);
      const index = path?.kind === 'param' && path.steps.length === 0 ? callee!.params.findIndex(({ name }) => name === path.root) : -1;
      const arg = call.args[index];
      return arg ? [{ arg, by }] : [];
    }),
  );
}

/** `static_cast<Frame*>(self->manager_ctx)->pixels` names a field of the context. */
function pathThroughCast(expr: Expr): Path | undefined {
  if (expr.kind !== 'member') return pathOf(expr);
  const owner = pathThroughCast(stripCasts(expr.object));
  return owner && { ...owner, steps: [...owner.steps, `.${expr.name}`] };
}

function freesMemory({ api, name }: Call): boolean {
  return api?.does('free') === true || /^(vkFreeMemory|cuDestroyExternalMemory|cudaDestroyExternalMemory)$/.test(name);
}

/** The context is a struct of the producer's in which the pixels of the view lie too. */
function isLentContext(file: FileFacts, view: View): boolean {
  const [data, context] = [pathOf(view.data), pathOf(view.context)];
  const isAround = data !== undefined && context !== undefined && data.steps.length > context.steps.length && isWithin(data, context);
  return isAround && originOf(file, view.at, view.data) === 'borrowed';
}

/** Freed only when a flag says that the view owns the pixels. */
function isGuarded(call: Call): boolean {
  const says = (expr: Expr) => [...walk(expr)].some((part) => part.kind === 'path' && /own|borrow/i.test(lastName(part.path)));
  return call.fn.events.some((event) => event.kind === 'test' && dominates(event, call) && says(event.expr));
}

interface Part {
  readonly kind: 'data' | 'context';
  /** Of the context struct; undefined for the context itself. */
  readonly field: string | undefined;
}

/** Which part of the view a path in its deleter means: `self->dl_tensor.data`, `ctx->pixels`, the pointer that a capsule hands in. */
function partOf(deleter: FunctionFacts, at: Call, path: Path): Part | undefined {
  const param = deleter.params[0];
  if (!param) return undefined;
  if (path.root === param.name) return partOfParam(param.type, path);
  const declared = deleter.events.find((event) => event.kind === 'assign' && event.id < at.id && event.declares?.name === path.root);
  const from = declared?.kind === 'assign' ? pathOf(declared.value) : undefined;
  if (!from || from.root !== param.name) return undefined;
  return partOfParam(param.type, { ...from, steps: [...from.steps, ...path.steps] });
}

function partOfParam(type: string, { steps }: Path): Part | undefined {
  if (!/DLManagedTensor/.test(type)) return { kind: 'context', field: steps[0]?.slice(1) };
  const key = steps.join('');
  if (key === '.dl_tensor.data') return { kind: 'data', field: undefined };
  return steps[0] === '.manager_ctx' ? { kind: 'context', field: steps[1]?.slice(1) } : undefined;
}

/** What the maker of the view put into the context, or into a field of the struct that is the context. */
function sourceOf(view: View, field: string | undefined): Expr | undefined {
  if (field === undefined) return view.context;
  const context = view.context && pathOf(view.context);
  if (!context) return undefined;
  const wanted = { ...context, steps: [...context.steps, `.${field}`] };
  const assigned = view.fn.events.filter((event) => event.kind === 'assign');
  const direct = assigned.findLast((event) => samePath(pathOf(event.target), wanted));
  if (direct) return direct.value;
  const whole = assigned.findLast((event) => samePath(pathOf(event.target), context))?.value;
  const init = whole?.kind === 'call' && whole.form === 'new' ? whole.args[0] : whole;
  if (init?.kind === 'init') return init.entries.find((each) => each.field === field)?.value;
  // The context is a struct that was there before, and the view shows its field.
  return samePath(pathOf(view.data), wanted) ? view.data : undefined;
}
