// The same fault in every spelling that real code uses must be found.
import { describe, expect, it } from 'vitest';
import { checkText, facts } from './harness';

const declare = `CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {};
    desc.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    desc.handle.fd = fd;`;

const imports: Record<string, string> = {
  'plain call': `cuImportExternalMemory(&m, &desc);`,
  'table behind a pointer': `cu->cuImportExternalMemory(&m, &desc);`,
  'table of a table': `drv->cu->cuImportExternalMemory(&m, &desc);`,
  'wrapper with suffix': `cuImportExternalMemory_f(&m, &desc);`,
  singleton: `CudaContext::Get().cuImportExternalMemory(&m, &desc);`,
  'unknown check macro': `CU_CHECK(cuImportExternalMemory(&m, &desc));`,
  'throwing check': `CUDA_CHECK_THROW(cuImportExternalMemory(&m, &desc));`,
  tested: `if (cuImportExternalMemory(&m, &desc) != CUDA_SUCCESS) return;`,
  'tested as a number': `if (cuImportExternalMemory(&m, &desc)) return;`,
  'result in a variable': `CUresult r = cuImportExternalMemory(&m, &desc); if (r != CUDA_SUCCESS) return;`,
  'assigned in the condition': `CUresult r; if ((r = cuImportExternalMemory(&m, &desc)) != CUDA_SUCCESS) return;`,
  'if with initialiser': `if (auto r = cuImportExternalMemory(&m, &desc); r != CUDA_SUCCESS) return;`,
  'enumerator on the left': `if (CUDA_SUCCESS != cuImportExternalMemory(&m, &desc)) return;`,
  'scoped enumerator': `if (cuImportExternalMemory(&m, &desc) != CUresult::CUDA_SUCCESS) return;`,
  'bool on the way': `bool ok = cuImportExternalMemory(&m, &desc) == CUDA_SUCCESS; if (!ok) return;`,
};

const descriptors: Record<string, string> = {
  'brace list without names': `cudaExternalMemoryHandleDesc d{cudaExternalMemoryHandleTypeOpaqueFd, {fd}, size, 0};`,
  'nested designators': `cudaExternalMemoryHandleDesc d = {.type = cudaExternalMemoryHandleTypeOpaqueFd, .handle = {.fd = fd}};`,
  'chained designator': `cudaExternalMemoryHandleDesc d = {.type = cudaExternalMemoryHandleTypeOpaqueFd, .handle.fd = fd};`,
  'memset and assignments': `cudaExternalMemoryHandleDesc d; memset(&d, 0, sizeof(d)); d.type = cudaExternalMemoryHandleTypeOpaqueFd; d.handle.fd = fd;`,
  'copy of a struct': `cudaExternalMemoryHandleDesc e{}; e.type = cudaExternalMemoryHandleTypeOpaqueFd; e.handle.fd = fd; cudaExternalMemoryHandleDesc d = e;`,
  'cast of a 64-bit holder': `cudaExternalMemoryHandleDesc d{}; d.type = cudaExternalMemoryHandleTypeOpaqueFd; d.handle.fd = (int)reinterpret_cast<intptr_t>(fd);`,
  reference: `cudaExternalMemoryHandleDesc all[2]{}; auto& d = all[0]; d.type = cudaExternalMemoryHandleTypeOpaqueFd; d.handle.fd = fd;`,
  pointer: `cudaExternalMemoryHandleDesc e{}; auto* p = &e; p->type = cudaExternalMemoryHandleTypeOpaqueFd; p->handle.fd = fd; auto& d = e;`,
  'type on one of two branches': `cudaExternalMemoryHandleDesc d{}; if (size) d.type = cudaExternalMemoryHandleTypeOpaqueFd; else d.type = cudaExternalMemoryHandleTypeOpaqueFd; d.handle.fd = fd;`,
};

const closes: Record<string, string> = {
  close: 'close(fd);',
  '::close': '::close(fd);',
  'guarded close': 'if (fd >= 0) close(fd);',
  'closed in a loop': 'for (int i = 0; i < 1; ++i) close(fd);',
  'through a copy': 'int copy = fd; close(copy);',
};

describe('one fault, many spellings', () => {
  it.each(Object.entries(imports))('import: %s', (_name, call) => {
    checkText('spelling.cpp', `void f(CUexternalMemory m, int fd) {\n    ${declare}\n    ${call}\n    close(fd);  // LINT fd/use-after-transfer\n}`);
  });

  it.each(Object.entries(descriptors))('descriptor: %s', (_name, code) => {
    const text = `void f(cudaExternalMemory_t* m, int fd, size_t size) {\n    ${code}\n    cudaImportExternalMemory(m, &d);\n    close(fd);  // LINT fd/use-after-transfer\n}`;
    checkText('spelling.cpp', text);
  });

  it.each(Object.entries(closes))('close: %s', (_name, code) => {
    checkText(
      'spelling.cpp',
      `void f(CUexternalMemory m, int fd) {\n    ${declare}\n    cuImportExternalMemory(&m, &desc);\n    ${code}  // LINT fd/use-after-transfer\n}`,
    );
  });

  it('vulkan.hpp and looked-up pointers', () => {
    checkText(
      'hpp.cpp',
      `
void hpp(vk::Device device, vk::Semaphore semaphore, int fd) {
    vk::ImportSemaphoreFdInfoKHR info;
    info.semaphore = semaphore;
    info.handleType = vk::ExternalSemaphoreHandleTypeFlagBits::eOpaqueFd;
    info.fd = fd;
    device.importSemaphoreFdKHR(info);
    close(fd);  // LINT fd/use-after-transfer
}
void in_place(vk::Device device, vk::Semaphore semaphore, int fd) {
    device.importSemaphoreFdKHR({semaphore, {}, vk::ExternalSemaphoreHandleTypeFlagBits::eOpaqueFd, fd});
    close(fd);  // LINT fd/use-after-transfer
}
void pointer(VkDevice device, VkImportSemaphoreFdInfoKHR info, int fd, PFN_vkImportSemaphoreFdKHR import_it) {
    info.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
    info.fd = fd;
    import_it(device, &info);
    close(fd);  // LINT fd/use-after-transfer
}
void looked_up(VkDevice device, VkImportSemaphoreFdInfoKHR info, int fd) {
    info.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
    info.fd = fd;
    fpImportSemaphoreFdKHR(device, &info);
    close(fd);  // LINT fd/use-after-transfer
}`,
    );
  });

  it('a field that the destructor closes', () => {
    checkText(
      'class.cpp',
      `
class Shared {
public:
    Shared(int fd);
    ~Shared();
private:
    int fd_ = -1;
    cudaExternalMemory_t memory_{};
};
Shared::Shared(int fd) : fd_(fd) {
    cudaExternalMemoryHandleDesc d{};
    d.type = cudaExternalMemoryHandleTypeOpaqueFd;
    d.handle.fd = fd_;
    cudaImportExternalMemory(&memory_, &d);
}
Shared::~Shared() {
    if (memory_) cudaDestroyExternalMemory(memory_);
    if (fd_ >= 0) close(fd_);  // LINT fd/use-after-transfer
}`,
    );
  });

  it('a wrapper that is constructed with the result of a call is no prototype', () => {
    const [fn] = facts(
      'construct.cpp',
      'void keep(int shared, VkDevice device) { UniqueFd fd(dup(shared)); Owner owner(wrap(fd, device)); }',
    ).functions;
    expect(fn!.locals.map((local) => local.name)).toEqual(['fd', 'owner']);
    expect(fn!.calls.filter((call) => call.form === 'call').map((call) => call.name)).toEqual(['dup', 'wrap']);
  });
});
