// Where a fix would not compile, would be written again and again, or would do what somebody asked not to do.
import { describe, expect, it } from 'vitest';
import { applyEdits, compatibleEdits } from '../../../helper/lint/fix/apply';
import { fixAll } from './harness';

const releasing = (release: string) => `#include <vulkan/vulkan.h>
class One {
 public:
  ${release}
  void reset() { release(); }
  ~One() { release(); }
 private:
  VkDevice d = VK_NULL_HANDLE;
  VkFence f = VK_NULL_HANDLE;
};
`;

const importing = (middle: string) => `#include <cuda_runtime.h>
#include <unistd.h>
#include <vulkan/vulkan.h>
int share(VkDevice device, VkBuffer buffer, int fd, int w, int h, cudaExternalMemory_t* m) {
  cudaExternalMemoryHandleDesc d{};
  d.type = cudaExternalMemoryHandleTypeOpaqueFd;
  d.handle.fd = fd;
${middle}
}
`;

describe('fixes', () => {
  it('go behind a statement, also where its function ends on the line', () => {
    const fixed = fixAll('a.cpp', releasing('void release() { vkDestroyFence(d, f, nullptr); }'), 'teardown/not-idempotent');
    expect(fixed).toBe(releasing('void release() { vkDestroyFence(d, f, nullptr); f = VK_NULL_HANDLE; }'));
  });

  it('go behind the comment of a line', () => {
    const fixed = fixAll('a.cpp', releasing('void release() {\n    vkDestroyFence(d, f, nullptr);  // ours\n  }'), 'teardown/not-idempotent');
    expect(fixed).toBe(releasing('void release() {\n    vkDestroyFence(d, f, nullptr);  // ours\n    f = VK_NULL_HANDLE;\n  }'));
  });

  it.each([
    ['a field in a const method', 'teardown/not-idempotent', releasing('void release() const { vkDestroyFence(d, f, nullptr); }')],
    [
      'a status whose block has ended',
      'fd/use-after-transfer',
      importing('  d.size = 1 << 20;\n  { cudaError_t err = cudaImportExternalMemory(m, &d); log(err); }\n  close(fd);\n  return 0;'),
    ],
    [
      'requirements whose block has ended',
      'memory/size-mismatch',
      importing(
        '  {\n    VkMemoryRequirements req;\n    vkGetBufferMemoryRequirements(device, buffer, &req);\n  }\n  d.size = w * h * 4;\n  return cudaImportExternalMemory(m, &d);',
      ),
    ],
    [
      'requirements that are asked for behind it',
      'memory/size-mismatch',
      importing(
        '  d.size = w * h * 4;\n  VkMemoryRequirements req;\n  vkGetBufferMemoryRequirements(device, buffer, &req);\n  return cudaImportExternalMemory(m, &d);',
      ),
    ],
    [
      'a declaration that a jump would pass',
      'memory/export-info-missing',
      '#include <vulkan/vulkan.h>\nint make(VkDevice dev, int want, VkSemaphore* sem, PFN_vkGetSemaphoreFdKHR get) {\n  VkSemaphoreGetFdInfoKHR g{VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR};\n  VkSemaphoreCreateInfo ci{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};\n  int fd = -1;\n  if (!want) goto out;\n  vkCreateSemaphore(dev, &ci, nullptr, sem);\n  g.semaphore = *sem;\n  g.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;\n  if (vkGetSemaphoreFdKHR(dev, &g, &fd) != VK_SUCCESS) return -1;\nout:\n  return fd;\n}\n',
    ],
    [
      'a Python function on one line',
      'sync/null-stream-readback',
      'import warp as wp\ndef read(kernel, out, stream): wp.launch(kernel, dim=4, outputs=[out], stream=stream); return out.numpy()\n',
    ],
    [
      'a member that only some builds have',
      'teardown/member-order',
      '#include <vulkan/vulkan.hpp>\nclass Upload {\n#ifdef WITH_STAGING\n  vk::UniqueBuffer staging;\n#endif\n  vk::UniqueDevice device;\n};\n',
    ],
    [
      'a place whose author misspelt the rule that they suppress',
      'fd/use-after-transfer',
      importing(
        '  d.size = 1 << 20;\n  bool ok = cudaImportExternalMemory(m, &d) == cudaSuccess;\n  // seamscope-disable-next-line fd/use-after-transfr -- our shim duplicates it\n  close(fd);\n  return ok;',
      ),
    ],
  ])('leave %s alone', (_, rule, text) => expect(fixAll(rule.startsWith('sync') ? 'a.py' : 'a.cpp', text, rule)).toBe(text));

  it('move nothing to two places, and insert once what two of them need', () => {
    const edit = (start: number, end: number, text: string) => ({ span: { start, end }, text });
    const fix = (...edits: ReturnType<typeof edit>[]) => ({ title: '', edits });
    expect(compatibleEdits([fix(edit(2, 4, ''), edit(0, 0, 'b;')), fix(edit(2, 4, ''), edit(9, 9, 'b;'))]).taken).toHaveLength(1);
    expect(compatibleEdits([fix(edit(0, 0, '#include'), edit(2, 4, 'x')), fix(edit(0, 0, '#include'), edit(6, 8, 'y'))])).toMatchObject({
      taken: { length: 2 },
      edits: { length: 3 },
    });
  });

  it('keep the line ends of a file', () => {
    expect(applyEdits('a;\r\nb;\r\n', [{ span: { start: 2, end: 2 }, text: '\nc;' }])).toBe('a;\r\nc;\r\nb;\r\n');
  });
});
