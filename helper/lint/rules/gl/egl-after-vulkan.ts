/**
 * # gl/egl-after-vulkan
 *
 * ## What it does
 * Reports an EGL display or OpenGL context that is created after a Vulkan instance on the same start-up path, in functions and constructors
 * that the file shows. A warning where the instance
 * enables window-system extensions, else information.
 *
 * ## Why is this bad
 * On NVIDIA drivers a Vulkan instance with window-system support initialises parts of the driver that EGL shares; `eglInitialize` or
 * `eglCreateContext` behind it can fail or return a software context, depending on driver version and session. The other order works.
 *
 * ## Example
 * ```cpp
 * #include <EGL/egl.h>
 * #include <vulkan/vulkan.h>
 * bool start(const VkInstanceCreateInfo& info, VkInstance* instance, EGLDisplay display) {
 *     if (vkCreateInstance(&info, nullptr, instance) != VK_SUCCESS) return false;
 *     return eglInitialize(display, nullptr, nullptr) == EGL_TRUE;
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <EGL/egl.h>
 * #include <vulkan/vulkan.h>
 * bool start(const VkInstanceCreateInfo& info, VkInstance* instance, EGLDisplay display) {
 *     if (eglInitialize(display, nullptr, nullptr) != EGL_TRUE) return false;  // before Vulkan loads
 *     return vkCreateInstance(&info, nullptr, instance) == VK_SUCCESS;
 * }
 * ```
 *
 * ## What it cannot see
 * An order that comes about across files, and which driver runs. An EGL display that was initialised before, or an instance that is gone
 * again, is no finding.
 */
import { reachedEvents } from '../../analyses/reached-events';
import type { Assign, Call, Event, FileFacts, FunctionFacts, Path } from '../../facts/index';
import { expressionsOf, pathOf, samePath, walk } from '../../facts/paths';
import { reachesWithout } from '../../flow/order';
import { typeOfPath } from '../../flow/visible';
import { fileQuery } from '../../memo/query';
import { holdsForAny } from '../../memo/table';
import { defineRule } from '../rule';

interface Data {
  readonly gl: string;
  readonly vulkan: string;
  readonly surface: boolean;
}

export const rule = defineRule<Data>({
  meta: {
    id: 'gl/egl-after-vulkan',
    summary: 'An EGL display or GL context is created after a Vulkan instance.',
    severity: 'warning',
    tier: 'B',
    precision: 'likely',
    fix: 'none',
    languages: ['c', 'cpp', 'cuda', 'python'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ gl, vulkan, surface }) {
    const which = surface ? ' with window-system extensions' : '';
    return `\`${gl}\` runs after \`${vulkan}\` has created a Vulkan instance${which}: the NVIDIA driver may then refuse a fresh EGL display or context. Create the GL side first, or reuse a context that exists.`;
  },

  detect(file, report) {
    for (const fn of file.subjects) {
      if (fn.degraded) continue;
      const found = check(file, fn);
      if (!found) continue;
      const surface = asksForSurface(file, found.instance.fn);
      report({
        at: found.start.site,
        data: { gl: found.start.call.name, vulkan: found.instance.name, surface },
        related: [{ at: found.instance.site, message: 'the Vulkan instance is created here' }],
        severity: surface ? 'warning' : 'info',
      });
    }
  },
});

/** The first start of GL behind an instance, when none came before it. One finding for each function is enough. */
function check(file: FileFacts, fn: FunctionFacts): { start: Start; instance: Instance } | undefined {
  if (!startsAnywhere(file)) return undefined;
  const reached = [...reachedEvents(file, fn)];
  const start = reached.findIndex(({ event }) => event.kind === 'call' && startsGl(event));
  if (start < 0) return undefined;
  const { event, site } = reached[start]!;
  const before = reached.slice(0, start).filter((each) => each.site !== site);
  if (event.kind !== 'call' || before.some((each) => each.event.kind === 'call' && knowsGl(each.event))) return undefined;
  const at = before.findLastIndex((each) => createsInstance(file, each.event));
  const created = before[at];
  if (!created) return undefined;
  const isGone = before.slice(at).some((each) => each.event.kind === 'call' && endsInstance(each.event)) || isDropped(created.way, site);
  const instance = { site: created.site, fn: created.event.fn, name: nameOf(created.event) };
  return !isGone && reachesWithout(created.site, site, () => false) ? { start: { site, call: event }, instance } : undefined;
}

interface Start {
  readonly site: Event;
  readonly call: Call;
}

interface Instance {
  readonly site: Event;
  /** The function that creates it. */
  readonly fn: FunctionFacts;
  readonly name: string;
}

function nameOf(event: Event): string {
  return event.kind === 'call' ? event.name : 'vk::raii::Instance';
}

/** An object that holds the instance dies before the start: a local of a helper that has returned, or one whose holder is emptied. */
function isDropped([site, ...inner]: readonly Event[], start: Event): boolean {
  return endsBefore(site!, start.id) || inner.some((event) => endsBefore(event, Number.POSITIVE_INFINITY));
}

function endsBefore(made: Event, limit: number): boolean {
  const holder = made.kind === 'call' ? (made.result ?? pathOf(made.receiver)) : undefined;
  if (!holder || (holder.kind === 'local' && isHandedOn(made, holder))) return false;
  return made.fn.events.some((event) => {
    if (event.id <= made.id || event.id >= limit) return false;
    if (event.kind === 'scopeEnd') return holder.kind === 'local' && event.variables.some(({ name }) => name === holder.root);
    return event.kind === 'call' && event.name === 'reset' && event.args.length === 0 && samePath(pathOf(event.receiver), holder);
  });
}

/** Returned, moved or put somewhere else. */
function isHandedOn(made: Event, holder: Path): boolean {
  return made.fn.events.some((event) => {
    if (event.id <= made.id) return false;
    if (event.kind === 'return' || event.kind === 'assign') return samePath(event.value && pathOf(event.value), holder);
    return event.kind === 'call' && event.args.some((arg) => arg.kind === 'call' && /move$/.test(arg.name) && samePath(pathOf(arg), holder));
  });
}

/** What is reached lies in the file: without any of these no way needs to be walked. */
const startsAnywhere = fileQuery((file) => file.functions.some((fn) => fn.calls.some(startsGl)));

function startsGl(call: Call): boolean {
  return /^(eglInitialize|eglCreateContext|glXCreateContext\w*|glXCreateNewContext|SDL_GL_CreateContext)$/.test(call.api?.name ?? call.name);
}

/** GL was there before: a current context is reused, a window library with a context has started. */
function knowsGl(call: Call): boolean {
  return /^(eglGetCurrent\w+|glXGetCurrent\w+|glfwMakeContextCurrent|SDL_GL_MakeCurrent|eglMakeCurrent|eglQuery\w+)$/.test(
    call.api?.name ?? call.name,
  );
}

function createsInstance(file: FileFacts, event: Event): boolean {
  return event.kind === 'assign' ? isConstructed(file, event) : event.kind === 'call' && callsForInstance(event);
}

/** `instance_(context_, info)` in a list of initialisers, `instance_ = vk::raii::Instance{context, info}`. */
function isConstructed(file: FileFacts, { fn, target, value }: Assign): boolean {
  if (value?.kind !== 'init' || value.entries.length < 2) return false;
  const path = pathOf(target);
  return path !== undefined && (value.type === 'vk::raii::Instance' || typeOfPath(file, fn, path) === 'vk::raii::Instance');
}

function callsForInstance(call: Call): boolean {
  if (call.api?.name === 'vkCreateInstance' || call.name === 'vkCreateInstance') return true;
  if (call.name === 'createInstance' && call.receiver && call.args.length > 0) return true;
  if (/(^|::)vk::createInstance(Unique)?$/.test(call.callee)) return true;
  // `instance = vk::raii::Instance(context, info)` and `std::make_unique<vk::raii::Instance>(context, info)`; with one argument it only moves.
  if (/^(new )?vk::raii::Instance$/.test(call.callee)) return call.form === 'construct' || call.args.length > 1;
  return call.args.length > 1 && /\bmake_(unique|shared)<vk::raii::Instance>$/.test(call.callee.replace(/\s/g, ''));
}

function endsInstance(call: Call): boolean {
  return (call.api?.name ?? call.name) === 'vkDestroyInstance';
}

const surfaceNames = /VK_KHR_\w*SURFACE|VK_EXT_(headless|metal)_surface|VK_KHR_\w*surface|SURFACE_EXTENSION_NAME|SurfaceExtensionName/i;

/** The function that makes the instance, or those of the file that fill its extensions, name a window-system extension. */
function asksForSurface(file: FileFacts, fn: FunctionFacts): boolean {
  return fn.events.some(namesSurface) || namingSurface(file) || file.globals.some((each) => each.init && namesIn(each.init));
}

const namingSurface = holdsForAny((_, fn) => /ext|inst/i.test(fn.name) && fn.events.some(namesSurface));

function namesSurface(event: Event): boolean {
  if (event.kind === 'call' && /GetRequiredInstanceExtensions$|Vulkan_GetInstanceExtensions$/i.test(event.name.replace(/_/g, ''))) return true;
  return expressionsOf(event).some(namesIn);
}

function namesIn(expr: Parameters<typeof walk>[0]): boolean {
  return [...walk(expr)].some(
    (part) => (part.kind === 'string' && surfaceNames.test(part.value)) || (part.kind === 'path' && surfaceNames.test(part.path.root)),
  );
}
