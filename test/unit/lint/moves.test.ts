// Fixes that move a statement take its comments along, and the braces that they put stand where the code has its own.
import { describe, expect, it } from 'vitest';
import { fixAll } from './harness';

const freeing = (body: string) => `#include <vulkan/vulkan.h>
void free_all(VkDevice device, VkBuffer buffer, VkFence fence) {
${body}
}
`;
const importing = (body: string) => `#include <cuda.h>
#include <unistd.h>
void take(CUexternalMemory* m, int fd) {
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC d = {};
  d.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
  d.handle.fd = fd;
${body}
}
`;
const made = (body: string) => `#include <cuda_runtime.h>
#include <unistd.h>
bool take(int src, cudaExternalMemory_t* m) {
  int fd = dup(src);
  cudaExternalMemoryHandleDesc d{};
  d.type = cudaExternalMemoryHandleTypeOpaqueFd;
  d.handle.fd = fd;
${body}
  return true;
}
`;

describe('comments go with the statement that a fix moves', () => {
  it.each([
    [
      'above and behind, before the comment of the other',
      '  // The device.\n  vkDestroyDevice(device, nullptr);  // last\n  // The buffer,\n  // once more.\n  vkDestroyBuffer(device, buffer, nullptr);  // first',
      '  // The buffer,\n  // once more.\n  vkDestroyBuffer(device, buffer, nullptr);  // first\n  // The device.\n  vkDestroyDevice(device, nullptr);  // last',
    ],
    [
      'a block',
      '  vkDestroyDevice(device, nullptr);\n\n  /* The buffer,\n     once more. */\n  vkDestroyBuffer(device, buffer, nullptr);',
      '  /* The buffer,\n     once more. */\n  vkDestroyBuffer(device, buffer, nullptr);\n  vkDestroyDevice(device, nullptr);\n',
    ],
    [
      'several statements',
      '  vkDestroyDevice(device, nullptr);\n  // One.\n  vkDestroyBuffer(device, buffer, nullptr);\n  vkDestroyFence(device, fence, nullptr);  // two',
      '  // One.\n  vkDestroyBuffer(device, buffer, nullptr);\n  vkDestroyFence(device, fence, nullptr);  // two\n  vkDestroyDevice(device, nullptr);',
    ],
    [
      'none that stands apart, is a heading or opens a block',
      '  vkDestroyDevice(device, nullptr);\n  // About all that follows.\n\n  vkDestroyBuffer(device, buffer, nullptr);\n  // ---- fences ----\n  vkDestroyFence(device, fence, nullptr);',
      '  vkDestroyBuffer(device, buffer, nullptr);\n  vkDestroyFence(device, fence, nullptr);\n  vkDestroyDevice(device, nullptr);\n  // About all that follows.\n\n  // ---- fences ----',
    ],
    [
      'none where a brace shares the line',
      '  { vkDestroyDevice(device, nullptr);\n  // The buffer.\n  vkDestroyBuffer(device, buffer, nullptr); }',
      '  { vkDestroyBuffer(device, buffer, nullptr); vkDestroyDevice(device, nullptr);\n  // The buffer.\n  }',
    ],
    [
      'and nothing moves out of what a comment opens for it',
      '  vkDestroyDevice(device, nullptr);\n  // clang-format off\n  vkDestroyBuffer(device,  buffer,  nullptr);\n  // clang-format on',
      '  vkDestroyDevice(device, nullptr);\n  // clang-format off\n  vkDestroyBuffer(device,  buffer,  nullptr);\n  // clang-format on',
    ],
  ])('%s', (_, body, fixed) => {
    const mended = fixAll('a.cpp', freeing(body), 'teardown/order');
    expect(mended).toBe(freeing(fixed));
    expect(fixAll('a.cpp', freeing(body).replace(/\n/g, '\r\n'), 'teardown/order')).toBe(mended.replace(/\n/g, '\r\n'));
  });

  it('into a condition', () => {
    const body = '  // Ours.\n  cuImportExternalMemory(m, &d);  // takes it\n  // Not needed any more.\n  close(fd);  // bye';
    const fixed = '  // Ours.\n  // Not needed any more.\n  if (cuImportExternalMemory(m, &d) != CUDA_SUCCESS) close(fd);  // takes it  // bye';
    expect(fixAll('a.cpp', importing(body), 'fd/use-after-transfer')).toBe(importing(fixed));
  });

  it('of a declaration', () => {
    const before =
      'struct Seam {\n  /// Of the images.\n  std::vector<vk::UniqueImageView> views;  ///< all of them\n  vk::UniqueDevice device;  // ours\n};\n';
    const after =
      'struct Seam {\n  vk::UniqueDevice device;  // ours\n  /// Of the images.\n  std::vector<vk::UniqueImageView> views;  ///< all of them\n};\n';
    const head = '#include <vector>\n#include <vulkan/vulkan.hpp>\n';
    expect(fixAll('a.cpp', head + before, 'teardown/member-order')).toBe(head + after);
  });

  it('of Python', () => {
    const head = 'import os\nimport torch\n\n\ndef main():\n';
    const cuda = '    # Which device.\n    torch.cuda.set_device(0)\n';
    const set = '    # Many queues.\n    os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "1")  # not 8\n';
    expect(fixAll('a.py', head + cuda + set, 'sync/connections-too-late')).toBe(head + set + cuda);
  });
});

describe('braces around the bare body of an if', () => {
  const call = 'cudaImportExternalMemory(m, &d)';
  it.each([
    ['on its line', `if (${call} != cudaSuccess) return false;`, `if (${call} != cudaSuccess) {`],
    ['on the next line', `if (${call} != cudaSuccess)\n    return false;`, `if (${call} != cudaSuccess) {`],
    ['of two lines', `if (${call}\n        != cudaSuccess)\n    return false;`, `if (${call}\n        != cudaSuccess) {`],
    ['behind else', `if (${call} == cudaSuccess) n();\n  else return false;`, `if (${call} == cudaSuccess) n();\n  else {`],
    ['behind a comment', `if (${call} != cudaSuccess)  // failed\n    return false;`, `if (${call} != cudaSuccess) {  // failed`],
    ['with a comment between', `if (${call} != cudaSuccess)\n    // Given up.\n    return false;`, `if (${call} != cudaSuccess) {\n    // Given up.`],
  ])('%s', (_, body, head) => {
    expect(fixAll('a.cpp', made(`  ${body}`), 'fd/leak-on-failure')).toBe(made(`  ${head}\n    close(fd);\n    return false;\n  }`));
    const tabs = (text: string) => made(text).replace(/^( {2})+/gm, (blanks) => '\t'.repeat(blanks.length / 2));
    expect(fixAll('a.cpp', tabs(`  ${body}`), 'fd/leak-on-failure')).toBe(tabs(`  ${head}\n    close(fd);\n    return false;\n  }`));
  });

  it('keep the comment of the body inside', () => {
    const fixed = `  if (${call} != cudaSuccess) {\n    close(fd);\n    return false;  // no memory\n  }`;
    expect(fixAll('a.cpp', made(`  if (${call} != cudaSuccess)\n    return false;  // no memory`), 'fd/leak-on-failure')).toBe(made(fixed));
  });
});

describe('a statement stays', () => {
  const device = 'vkDestroyDevice(device, nullptr);';
  const end = 'vkDestroyBuffer(device, buffer, nullptr);';
  it.each([
    [
      'behind the declaration of what it is given',
      `  ${device}\n  const VkAllocationCallbacks* own = nullptr;\n  vkDestroyBuffer(device, buffer, own);`,
    ],
    ['behind an assignment to what it is given', `  ${device}\n  buffer = next();\n  ${end}`],
    ['behind an expression of its own statement', `  vkDestroyDevice(device, nullptr), ${end}`],
    ['in its arm', `  ${device}\n#ifdef BUFFERS\n  ${end}\n#endif`],
    ['out of an arm', `#ifdef DEVICES\n  ${device}\n#endif\n  ${end}`],
    ['in its block', `  vkDestroyDevice(device, nullptr);\n  { ${end} }`],
    ['behind a comment that goes on', `  ${device}  // goes \\\n  on\n  ${end}`],
  ])('%s', (_, body) => {
    expect(fixAll('a.cpp', freeing(body), 'teardown/order')).toBe(freeing(body));
  });
});

describe('a close is not made conditional', () => {
  const open = '  bool ok = cuImportExternalMemory(m, &d) == CUDA_SUCCESS;\n';
  it.each([
    ['on a status that is another by then', `${open}  ok = other();\n  close(fd);`],
    ['on a variable of that name in another block', `${open}  { bool ok = true; close(fd); }`],
  ])('%s', (_, body) => {
    expect(fixAll('a.cpp', importing(body), 'fd/use-after-transfer')).toBe(importing(body));
  });

  it("but is where the status is the import's", () => {
    expect(fixAll('a.cpp', importing(`${open}  close(fd);`), 'fd/use-after-transfer')).toBe(importing(`${open}  if (!ok) close(fd);`));
  });
});

it('a method calls the close of the system by its full name', () => {
  const text = (leave: string) => made(`  if (cudaImportExternalMemory(m, &d) != cudaSuccess) {\n${leave}    return false;\n  }`);
  const method = (body: string) =>
    body.replace('bool take', 'struct Seam { void close(); bool take(int, cudaExternalMemory_t*); };\nbool Seam::take');
  expect(fixAll('a.cpp', method(text('')), 'fd/leak-on-failure')).toBe(method(text('    ::close(fd);\n')));
});

it('a const member is given no new value', () => {
  const members = (fence: string) => `#include <vulkan/vulkan.h>
class Seam {
public:
  ~Seam() { end(); }
  void end() {
    vkDestroyFence(device, fence, nullptr);
  }
  void again() { end(); }
  VkDevice device = VK_NULL_HANDLE;
  ${fence} = VK_NULL_HANDLE;
};
`;
  expect(fixAll('a.cpp', members('VkFence fence'), 'teardown/not-idempotent')).toContain('    fence = VK_NULL_HANDLE;');
  expect(fixAll('a.cpp', members('const VkFence fence'), 'teardown/not-idempotent')).not.toContain('    fence = VK_NULL_HANDLE;');
});
