// Two files of one program: whether `share` uses a descriptor that CUDA adopted shows only in the other one.
export const caller = `#include <cuda.h>
void finish(int fd);
void share(CUexternalMemory* memory, int fd) {
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, .handle = {.fd = fd}, .size = 64};
    if (cuImportExternalMemory(memory, &desc) != CUDA_SUCCESS) return;
    finish(fd);
}
`;
export const closer = '#include <cuda.h>\nvoid finish(int fd) { close(fd); }\n';
