/**
 * # gl/egl-after-vulkan
 *
 * ## What it does
 * Reports an EGL display or OpenGL context that is created after a Vulkan instance on the same start-up path. A warning where the instance
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
import { type Reached, reachedCalls } from '../../analyses/releases';
import type { Call, Event, FileFacts, FunctionFacts } from '../../facts/index';
import { expressionsOf, pathOf, walk } from '../../facts/paths';
import { reachesWithout } from '../../flow/order';
import { typeOfPath } from '../../flow/visible';
import { functionsWhere } from '../../memo/table';
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
function check(file: FileFacts, fn: FunctionFacts): { start: Reached; instance: Instance } | undefined {
  const calls = [...reachedCalls(file, fn)];
  const start = calls.find(({ call }) => startsGl(call));
  if (!start) return undefined;
  const isEarlier = (each: Reached) => each.site.id < start.site.id;
  if (calls.some((each) => isEarlier(each) && knowsGl(each.call))) return undefined;
  const created = calls.findLast((each) => isEarlier(each) && createsInstance(each.call));
  const instance = created ? { site: created.site, fn: created.call.fn, name: created.call.name } : constructed(file, start.site);
  if (!instance) return undefined;
  const isGone = calls.some((each) => isEarlier(each) && each.site.id > instance.site.id && endsInstance(each.call));
  return !isGone && reachesWithout(instance.site, start.site, () => false) ? { start, instance } : undefined;
}

interface Instance {
  readonly site: Event;
  /** The function that creates it. */
  readonly fn: FunctionFacts;
  readonly name: string;
}

/** `instance_(context_, info)` in a list of initialisers. */
function constructed(file: FileFacts, start: Event): Instance | undefined {
  const site = start.fn.events.findLast((event) => {
    if (event.kind !== 'assign' || event.id > start.id || event.value?.kind !== 'init' || event.value.entries.length < 2) return false;
    const path = pathOf(event.target);
    return path !== undefined && typeOfPath(file, start.fn, path) === 'vk::raii::Instance';
  });
  return site && { site, fn: start.fn, name: 'vk::raii::Instance' };
}

function startsGl(call: Call): boolean {
  return /^(eglInitialize|eglCreateContext|glXCreateContext\w*|glXCreateNewContext|SDL_GL_CreateContext)$/.test(call.api?.name ?? call.name);
}

/** GL was there before: a current context is reused, a window library with a context has started. */
function knowsGl(call: Call): boolean {
  return /^(eglGetCurrent\w+|glXGetCurrent\w+|glfwMakeContextCurrent|SDL_GL_MakeCurrent|eglMakeCurrent|eglQuery\w+)$/.test(
    call.api?.name ?? call.name,
  );
}

function createsInstance(call: Call): boolean {
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
  return fn.events.some(namesSurface) || namingSurface(file).length > 0 || file.globals.some((each) => each.init && namesIn(each.init));
}

const namingSurface = functionsWhere((_, fn) => /ext|inst/i.test(fn.name) && fn.events.some(namesSurface));

function namesSurface(event: Event): boolean {
  if (event.kind === 'call' && /GetRequiredInstanceExtensions$|Vulkan_GetInstanceExtensions$/i.test(event.name.replace(/_/g, ''))) return true;
  return expressionsOf(event).some(namesIn);
}

function namesIn(expr: Parameters<typeof walk>[0]): boolean {
  return [...walk(expr)].some(
    (part) => (part.kind === 'string' && surfaceNames.test(part.value)) || (part.kind === 'path' && surfaceNames.test(part.path.root)),
  );
}
