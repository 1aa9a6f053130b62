// What makes naive rules wrong, each in the shape that real code has. Nothing may be reported unless marked.
import { describe, expect, it } from 'vitest';
import { checkText, lintText } from './harness';

const driver = `CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = { .type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, .handle.fd = fd };`;

const traps: Record<string, string> = {
  'close on the failure branch, by result variable': `
bool import(CudaFunctions *cu, int fd, CUexternalMemory &mem) {
    ${driver}
    int ret = CHECK_CU(cu->cuImportExternalMemory(&mem, &desc));
    if (ret < 0) {
        close(fd);
        return false;
    }
    return true;
}`,
  'close on the failure branch, by move idiom and negated helper': `
bool Interop::set(InteropBuffer &buffer) {
    const int fd = buffer.take_handle();
    ${driver}
    if (cuImportExternalMemory(&external_, &desc) != CUDA_SUCCESS) {
        ::close(fd);
        return false;
    }
    return true;
}`,
  'close of the struct field in the failure branch only': `
VkResult import(VkDevice dev, int shared, VkMemoryAllocateInfo allocInfo, VkDeviceMemory *mem) {
    VkImportMemoryFdInfoKHR importInfo = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR,
        .pNext = std::exchange(allocInfo.pNext, &importInfo),
        .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT,
        .fd = dup(shared),
    };
    VkResult res = vk.AllocateMemory(dev, &allocInfo, nullptr, mem);
    if (res != VK_SUCCESS) close(importInfo.fd);
    return res;
}`,
  'another descriptor is closed': `
int map(NVDriver *drv, int nvFd, int nvFd2, CUexternalMemory *mem) {
    const CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = { .type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, .handle.fd = nvFd };
    if (CHECK_CUDA_RESULT(drv->cu->cuImportExternalMemory(mem, &desc))) { close(nvFd); close(nvFd2); return 0; }
    close(nvFd2);
    return 1;
}`,
  'sent over a socket and closed in a loop': `
void send_images(VkDevice dev, int sock, int n) {
    int fds[8];
    for (int i = 0; i < n; i++) {
        VkMemoryGetFdInfoKHR info{VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR};
        disp.GetMemoryFdKHR(&info, &fds[i]);
    }
    struct msghdr msg = {};
    memcpy(CMSG_DATA(CMSG_FIRSTHDR(&msg)), fds, sizeof(fds));
    sendmsg(sock, &msg, 0);
    for (int i = 0; i < n; i++) close(fds[i]);
}`,
  'the sentinel decides, not the order of calls': `
static bool map_plane(struct priv *p, CudaFunctions *cu) {
    bool ok = false;
    int mem_fd = -1;
    VkMemoryGetFdInfoKHR get = { .sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, .memory = p->memory };
    if (vkGetMemoryFdKHR(p->dev, &get, &mem_fd) != VK_SUCCESS) goto error;
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {
#if HAVE_WIN32_DESKTOP
        .type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32,
        .handle.win32.handle = p->handle,
#else
        .type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
        .handle.fd = mem_fd,
#endif
        .size = p->size,
    };
    if (CHECK_CU(cu->cuImportExternalMemory(&p->mem, &desc)) < 0) goto error;
    mem_fd = -1;
    ok = true;
error:
    if (mem_fd > -1) close(mem_fd);
    return ok;
}`,
  'close methods and unrelated descriptors': `
void save(CUexternalMemory *mem, int fd, std::ofstream &out, Socket *socket) {
    ${driver}
    cuImportExternalMemory(mem, &desc);
    out.close();
    socket->close();
    int log = open("log", O_WRONLY);
    close(log);
}`,
  'opposite ownership in the two halves of a platform switch': `
bool attach(int fd, void *handle) {
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {};
#ifdef _WIN32
    desc.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32;
    desc.handle.win32.handle = handle;
#else
    desc.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    desc.handle.fd = fd;
#endif
    if (cuImportExternalMemory(&mem, &desc) != CUDA_SUCCESS) {
#ifdef _WIN32
        CloseHandle(handle);
#else
        close(fd);
#endif
        return false;
    }
#ifdef _WIN32
    CloseHandle(handle);
#endif
    return true;
}`,
  'two heads of one function': `
#ifdef _WIN32
bool take(HANDLE handle) {
#else
bool take(int fd) {
#endif
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {};
#ifndef _WIN32
    desc.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    desc.handle.fd = fd;
#endif
    return cuImportExternalMemory(&mem, &desc) == CUDA_SUCCESS;
}`,
  'a comment claims that the import duplicates: the fault is found all the same': `
void import(CUexternalMemory *mem, int fd) {
    ${driver}
    if (cuImportExternalMemory(mem, &desc) != CUDA_SUCCESS) { close(fd); return; }
    // CUDA dup'd the fd, close ours
    close(fd);  // LINT fd/use-after-transfer
}`,
  'an unmap with the stream of the work needs no synchronise': `
void draw(cudaGraphicsResource_t res, float *out, cudaStream_t stream) {
    cudaGraphicsMapResources(1, &res, stream);
    kernel<<<1, 1, 0, stream>>>(out);
    cudaGraphicsUnmapResources(1, &res, stream);
}`,
  'exits hidden in macros that nobody can see': `
void import(CUexternalMemory *mem, int shared) {
    int fd = dup(shared);
    ${driver}
    GMB_CHECK_CALL(cuImportExternalMemory(mem, &desc));
}`,
  'an exit hidden in a macro that the file shows jumps to a label that closes': `
#define VK(call) do { if ((call) != VK_SUCCESS) goto error; } while (0)
bool import(VkDevice dev, VkSemaphore sem, int shared) {
    int fd = dup(shared);
    VkImportSemaphoreFdInfoKHR info = { .semaphore = sem, .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT, .fd = fd };
    VK(vkImportSemaphoreFdKHR(dev, &info));
    return true;
error:
    close(fd);
    return false;
}`,
  'one variable recycled for two descriptors': `
void share(VkDevice dev, VkMemoryGetFdInfoKHR *m, VkSemaphoreGetFdInfoKHR *s) {
    int fd;
    vkGetMemoryFdKHR(dev, m, &fd);
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC mem = { .type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, .handle.fd = fd };
    cuImportExternalMemory(&memory, &mem);
    vkGetSemaphoreFdKHR(dev, s, &fd);
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC sem = { .type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD, .handle.fd = fd };
    if (cuImportExternalSemaphore(&semaphore, &sem) != CUDA_SUCCESS) close(fd);
}`,
};

describe('traps', () => {
  it.each(Object.entries(traps))('%s', (_name, code) => checkText('trap.cpp', code));

  it('the sentinel trap without its reset is a fault', () => {
    const trap = traps['the sentinel decides, not the order of calls']!;
    checkText(
      'trap.cpp',
      trap.replace('    mem_fd = -1;\n    ok', '    ok').replace('close(mem_fd);', 'close(mem_fd);  // LINT fd/use-after-transfer'),
    );
  });

  it('the visible macro without the close at its label is a fault', () => {
    const trap = traps['an exit hidden in a macro that the file shows jumps to a label that closes']!;
    checkText('trap.cpp', trap.replace('    close(fd);\n    return false;', '    return false;  // LINT fd/leak-on-failure'));
  });

  it('a finding in one arm says which', () => {
    const code = `
void f(int fd) {
    ${driver}
    cuImportExternalMemory(&m, &desc);
#ifdef _WIN32
    CloseHandle(h);
#else
    close(fd);
#endif
}`;
    expect(lintText('arm.cpp', code).map((found) => [found.line, / Only where _WIN32 is not defined\.$/.test(found.message)])).toEqual([[8, true]]);
  });
});
