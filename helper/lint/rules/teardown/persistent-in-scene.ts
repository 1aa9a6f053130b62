/**
 * # teardown/persistent-in-scene
 *
 * ## What it does
 * Reports, as information, the clean-up of a scene that destroys what outlives scenes: the device, instance or context, pipelines, shader
 * modules.
 *
 * ## Why is this bad
 * Scenes change often. If each change destroys the pipelines, every shader is compiled again; if it destroys the device, imports on the
 * CUDA side dangle.
 *
 * ## Example
 * ```cpp
 * #include <vulkan/vulkan.h>
 * class Renderer {
 *     void destroyScene() {
 *         vkDestroyBuffer(device_, vertices_, nullptr);
 *         vkDestroyPipeline(device_, pipeline_, nullptr);
 *     }
 *     VkDevice device_ = VK_NULL_HANDLE;
 *     VkBuffer vertices_ = VK_NULL_HANDLE;
 *     VkPipeline pipeline_ = VK_NULL_HANDLE;
 * };
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <vulkan/vulkan.h>
 * class Renderer {
 *     void destroyScene() { vkDestroyBuffer(device_, vertices_, nullptr); }
 *     void shutdown() { vkDestroyPipeline(device_, pipeline_, nullptr); }
 *     VkDevice device_ = VK_NULL_HANDLE;
 *     VkBuffer vertices_ = VK_NULL_HANDLE;
 *     VkPipeline pipeline_ = VK_NULL_HANDLE;
 * };
 * ```
 *
 * ## What it cannot see
 * Pipelines that really belong to one scene: this is information, not a fault. A scene's clean-up is known by its name.
 */
import { endsGpuObject, reachedCalls } from '../../analyses/releases';
import type { FunctionFacts } from '../../facts/index';
import { cFamily, defineRule } from '../rule';

export const rule = defineRule<{ ended: string; cleanup: string }>({
  meta: {
    id: 'teardown/persistent-in-scene',
    summary: 'The clean-up of a scene destroys the device, pipelines or shaders.',
    severity: 'info',
    tier: 'B',
    precision: 'likely',
    fix: 'none',
    languages: cFamily,
    group: 'preview',
    since: '0.1.0',
  },

  message({ ended, cleanup }) {
    return `\`${cleanup}\` ends a scene, but \`${ended}\` ends something that outlives scenes: the next scene has to build it again. Move it to the final shutdown.`;
  },

  detect(file, report) {
    for (const fn of file.subjects.filter(endsScene)) {
      const seen = new Set<string>();
      for (const { call, site } of reachedCalls(file, fn)) {
        const name = call.api?.name ?? '';
        if (!persistent.test(name) || !endsGpuObject(call) || seen.has(name)) continue;
        seen.add(name);
        const related = call === site ? [] : [{ at: call, message: 'destroyed here' }];
        report({ at: site, data: { ended: name, cleanup: fn.name }, related });
      }
    }
  },
});

const persistent =
  /^(vkDestroy(Device|Instance|Pipeline|PipelineCache|PipelineLayout|ShaderModule|CommandPool)|cuModuleUnload|cuCtxDestroy|(cuda|hip)DeviceReset|glDeleteProgram)$/;
const verb = '(destroy|unload|clear|release|free|drop|reset|tear_?down|clean_?up|delete|close)';

/** `destroyScene`, `unload_scene`, `Scene::clear`; the destructor of a class for the whole program is none. */
function endsScene(fn: FunctionFacts): boolean {
  if (new RegExp(`^_*${verb}_?(\\w*_)?(scene|level|stage)(_?(resources|data|buffers|objects))?$`, 'i').test(fn.name)) return true;
  return /^(scene|level)$/i.test(fn.className ?? '') && new RegExp(`^_*${verb}$`, 'i').test(fn.name);
}
