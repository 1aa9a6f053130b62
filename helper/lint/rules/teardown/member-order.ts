/**
 * # teardown/member-order
 *
 * ## What it does
 * Reports a member that is declared before another member on which its destruction depends: C++ destroys members from the last to the
 * first, so the dependency dies first.
 *
 * ## Why is this bad
 * The destructor of the dependant then calls into a device, context or display that is gone. It works as long as the driver happens to
 * tolerate it, and crashes at exit on another one.
 *
 * ## Example
 * ```cpp
 * #include <vulkan/vulkan.hpp>
 * class Renderer {
 *     vk::UniqueBuffer buffer_;
 *     vk::UniqueDevice device_;
 * };
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <vulkan/vulkan.hpp>
 * class Renderer {
 *     vk::UniqueDevice device_;
 *     vk::UniqueBuffer buffer_;  // declared last, destroyed first
 * };
 * ```
 *
 * ## Fix safety
 * A suggestion: the declaration moves behind the one it depends on. Constructors then initialise in the new order, and the layout changes.
 *
 * ## What it cannot see
 * Dependencies are known from vulkan.hpp's types, from what destructors in the file free, from construction (`frame_ =
 * make_unique<Frame>(*device_)`) together with a reference that the made class keeps, and from names such as Display and Frame of classes
 * that have a destructor. A destructor of the class that
 * ends members by hand, or that another file defines, silences the rule, and so does shared ownership.
 */
import { isField, isMadeFrom, usesAtEnd } from '../../analyses/member-ties';
import { endsGpuObject, ownedClass, reachedCalls } from '../../analyses/releases';
import type { ClassFacts, Expr, FileFacts, Variable } from '../../facts/index';
import { walk } from '../../facts/paths';
import { type Parent, parents } from '../../knowledge/parents';
import { perName } from '../../per-name';
import { splitTemplate } from '../../text/words';
import { moveBehind } from '../moves';
import { defineRule } from '../rule';

interface Data {
  readonly dependant: string;
  readonly dependency: string;
  /** What the fix needs. */
  readonly fields: readonly [Variable, Variable];
}

export const rule = defineRule<Data>({
  meta: {
    id: 'teardown/member-order',
    summary: 'Members are declared so that a dependency is destroyed before what needs it.',
    severity: 'warning',
    tier: 'C',
    precision: 'likely',
    fix: 'suggestion',
    languages: ['cpp', 'cuda'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ dependant, dependency }) {
    return `\`${dependant}\` is declared before \`${dependency}\`, so \`${dependency}\` is destroyed first, and the destructor of \`${dependant}\` still needs it. Declare \`${dependant}\` behind \`${dependency}\`.`;
  },

  detect(file, report) {
    for (const each of file.subjectClasses) {
      if (each.destructorElsewhere || each.kind === 'union') continue;
      const fields = each.fields.filter((field) => !field.isStatic && owns(field.type) && isRanked(file, field.type));
      for (const [i, dependant] of fields.entries()) {
        const dependency = fields.slice(i + 1).findLast((later) => dependsOn(file, each, dependant, later));
        if (!dependency || isEndedByHand(file, each, dependant)) continue;
        report({
          at: dependant,
          data: { dependant: dependant.name, dependency: dependency.name, fields: [dependant, dependency] },
          related: [{ at: dependency, message: 'destroyed first' }],
        });
      }
    }
  },

  fix({ data: { dependant, dependency, fields } }, file) {
    const edits = moveBehind(file, fields[0], fields[1]);
    return edits && { title: `Declare \`${dependant}\` behind \`${dependency}\``, edits };
  },
});

/** A value whose end the class decides: no reference, raw pointer or shared ownership. */
function owns(type: string): boolean {
  return !/[*&]$|shared_ptr|weak_ptr|RefPtr|intrusive_ptr|reference_wrapper|observer_ptr/.test(type);
}

/** Numbers and other types that nobody knows depend on nothing: a class may have thousands. */
function isRanked(file: FileFacts, type: string): boolean {
  return hppRank(type) !== undefined || nameRank(type) !== undefined || file.classNamed(ownedClass(type) ?? '') !== undefined;
}

function dependsOn(file: FileFacts, each: ClassFacts, dependant: Variable, dependency: Variable): boolean {
  const hpp = hppRank(dependant.type);
  const below = hppRank(dependency.type);
  if (hpp !== undefined && below !== undefined)
    return (below < hpp && below < 2 && !isBeside(dependant.type, dependency.type)) || isOfPool(dependant.type, dependency.type);
  if (/\b(Unique|raii::)SurfaceKHR\b/.test(dependant.type) && /Window$/.test(ownedClass(dependency.type) ?? '')) return true;
  if (sharesOwnership(file, dependant.type, dependency.type)) return false;
  if (freesWhatNeeds(file, dependant.type, dependency.type)) return true;
  if (usesAtEnd(file, dependant.type, dependency.type) && isMadeFrom(each, dependant, dependency)) return true;
  const [upper, lower] = [nameRank(dependant.type), nameRank(dependency.type)];
  if (upper === undefined || lower === undefined || lower >= upper || lower > 2) return false;
  if (!isOfGpu(file, dependant.type) && !isOfGpu(file, dependency.type)) return false;
  return isMadeFrom(each, dependant, dependency) || (hasDestructor(file, dependant.type) && hasDestructor(file, dependency.type));
}

/** `vk::UniqueX`, `vk::raii::X`: instance before device before everything else. */
function hppRank(type: string): number | undefined {
  const name = /\bvk::(?:Unique|raii::)(?:\w*::)?([A-Z]\w*)/.exec(innermost(type))?.[1];
  if (!name) return undefined;
  return name === 'Context' ? -1 : name === 'Instance' ? 0 : name === 'Device' ? 1 : /^(PhysicalDevice|Queue)$/.test(name) ? undefined : 2;
}

/** Surfaces and messengers belong to the instance: whether a device still stands is nothing to them. */
function isBeside(dependant: string, dependency: string): boolean {
  return hppRank(dependency) === 1 && /\bvk::(Unique|raii::)(SurfaceKHR|Debug\w+EXT|Display\w*KHR)\b/.test(innermost(dependant));
}

/** What the end of one object of vulkan.hpp names beside the device: members of a pool are freed to it, a swapchain needs its surface. */
function isOfPool(dependant: string, dependency: string): boolean {
  const [needs, ended] = [dependant, dependency].map((type) => /\bvk::(?:Unique|raii::)([A-Z]\w*)/.exec(innermost(type))?.[1]);
  return pools.some(([of, pool]) => of.test(needs ?? '') && ended === pool);
}

const pools: readonly (readonly [RegExp, string])[] = [
  [/^CommandBuffers?$/, 'CommandPool'],
  [/^DescriptorSets?$/, 'DescriptorPool'],
  [/^SwapchainKHR$/, 'SurfaceKHR'],
];

function innermost(type: string): string {
  const inner = /^(?:const )?(?:std::)?(?:unique_ptr|optional|vector|array|deque|list)\s*<(.*)>(?:\[\])*$/.exec(type)?.[1];
  return inner === undefined ? type : innermost(splitTemplate(inner)[0]!);
}

/** The dependant's class keeps the dependency alive itself. */
function sharesOwnership(file: FileFacts, dependant: string, dependency: string): boolean {
  const own = file.classNamed(ownedClass(dependant) ?? '');
  const other = ownedClass(dependency);
  return own?.fields.some((field) => /shared_ptr|RefPtr/.test(field.type) && other !== undefined && field.type.includes(other)) ?? false;
}

/**
 * The destructors of both are shown, and one ends what the calls of the other need. Of two objects of one class each ends its own, and
 * so does whoever ends both an array and the texture of it.
 */
function freesWhatNeeds(file: FileFacts, dependant: string, dependency: string): boolean {
  if (ownedClass(dependant) === ownedClass(dependency)) return false;
  const [needs, ends] = [endedNames(file, dependant), endedNames(file, dependency)];
  const isOwn = (parent: Parent) => parent.tie.by === 'owner' && needsOf(parent, ends);
  return parents.some((parent) => ends.some((name) => parent.end.test(name)) && needsOf(parent, needs) && !isOwn(parent));
}

function needsOf({ needs }: Parent, names: readonly string[]): boolean {
  return names.some((name) => needs.test(name));
}

function endedNames(file: FileFacts, type: string): string[] {
  const destructor = file.classNamed(ownedClass(type) ?? '')?.destructor;
  return destructor ? [...reachedCalls(file, destructor)].filter(({ call }) => endsGpuObject(call)).map(({ call }) => call.api!.name) : [];
}

const ranks: readonly (readonly [RegExp, number])[] = [
  [/^(library|loader|driver|instance|platform|runtime)$/, 0],
  [/^(display|adapter)$/, 1],
  [/^(device|context|ctx|gpu)$/, 2],
  [/^(allocator|pool|queue|stream|arena)$/, 3],
  [
    /^(frame|frames|surface|image|images|texture|textures|buffer|buffers|tensor|memory|framebuffer|fence|semaphore|event|sampler|pipeline|shader|program|mesh|swapchain|kernel|module|mapping)$/,
    4,
  ],
];

/** How far a type is from the driver, by the last word of its name. */
const nameRank = perName((type: string): number | undefined => {
  const name = ownedClass(type)?.replace(/(_t|_ptr|Ptr|Handle|Object|Impl|Wrapper|Holder|Owner|RAII|Resource)$/, '');
  const last = name && wordsOf(name).at(-1);
  return last ? ranks.find(([pattern]) => pattern.test(last))?.[1] : undefined;
});

/** `egl_context_t` to `egl`, `context`, `t`. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split('_');
}

const apis = /^(egl|gl|gles|glx|vk|vulkan|cu|cuda|hip|cl|opencl|gpu|drm|gbm|metal|mtl|optix|wgpu|d3d\d*)\d*$/;
const handles = /^(const )?(EGL[A-Z]|GL(uint|sync|X)|Vk[A-Z]|vk::|Vma[A-Z]|CU[a-z]|cuda[A-Z]|hip[A-Z]|cl_|gbm_|OptixD)/;

/** A word of its name, what it holds or what its destructor calls tells of a GPU: a `Display` may as well be a widget. */
function isOfGpu(file: FileFacts, type: string): boolean {
  const name = ownedClass(type) ?? '';
  const own = file.classNamed(name);
  return (
    wordsOf(name).some((word) => apis.test(word)) ||
    own?.fields.some((field) => handles.test(field.type)) === true ||
    endedNames(file, type).length > 0
  );
}

function hasDestructor(file: FileFacts, type: string): boolean {
  const own = file.classNamed(ownedClass(type) ?? '');
  return own !== undefined && (own.destructor !== undefined || own.destructorElsewhere);
}

/** The destructor of the class ends the dependant before the members go. */
function isEndedByHand(file: FileFacts, each: ClassFacts, dependant: Variable): boolean {
  if (!each.destructor) return false;
  const mentions = (expr: Expr | undefined) => expr !== undefined && [...walk(expr)].some((part) => isField(part, dependant));
  const bodies = new Set([each.destructor, ...[...reachedCalls(file, each.destructor)].map(({ call }) => call.fn)]);
  const isUnknown = each.destructor.calls.some((call) => !call.api && !call.receiver && file.functionsNamed(call.name).length === 0);
  return (
    isUnknown ||
    [...bodies].some((fn) =>
      fn.events.some((event) =>
        event.kind === 'assign' ? mentions(event.target) : event.kind === 'call' && (mentions(event.receiver) || event.args.some(mentions)),
      ),
    )
  );
}
