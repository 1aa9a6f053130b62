/**
 * # fd/ipc-not-closed
 *
 * ## What it does
 * Reports memory of another process, opened by an IPC handle, that is never closed: its last name is dropped, it is freed like own
 * memory, or it is never stored. Of a class that closes what it holds, the place where an entry goes without that.
 *
 * ## Why is this bad
 * `cudaIpcOpenMemHandle` maps the other process's allocation. The mapping stays until `cudaIpcCloseMemHandle`, keeps the exporter's memory
 * alive after it was freed there, and a program whose peers come and go runs out of memory. `cudaFree` does not close it.
 *
 * ## Example
 * ```cpp
 * #include <cuda_runtime.h>
 * #include <vector>
 * class Peers {
 * public:
 *     void open(const cudaIpcMemHandle_t& handle) {
 *         void* memory = nullptr;
 *         cudaIpcOpenMemHandle(&memory, handle, cudaIpcMemLazyEnablePeerAccess);
 *         memory_.push_back(memory);
 *     }
 *     void close() { memory_.clear(); }
 * private:
 *     std::vector<void*> memory_;
 * };
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cuda_runtime.h>
 * #include <vector>
 * class Peers {
 * public:
 *     void open(const cudaIpcMemHandle_t& handle) {
 *         void* memory = nullptr;
 *         cudaIpcOpenMemHandle(&memory, handle, cudaIpcMemLazyEnablePeerAccess);
 *         memory_.push_back(memory);
 *     }
 *     void close() {
 *         for (void* memory : memory_) cudaIpcCloseMemHandle(memory);
 *         memory_.clear();
 *     }
 * private:
 *     std::vector<void*> memory_;
 * };
 * ```
 *
 * ## What it cannot see
 * Closes in other files: a file that closes anywhere, or hands the pointer to unknown code, is left alone, unless the function that opens
 * also closes, but not on every way out, or the class closes its entries in one method and drops them in another. An entry that is
 * overwritten is not seen.
 */
import { forgottenIpc } from '../../analyses/ipc-evictions';
import { type IpcFault, unclosedIpc } from '../../analyses/ipc-memory';
import { cFamily, defineRule } from '../rule';

interface Data {
  readonly opener: string;
  readonly kind: IpcFault['kind'];
}

const what: Readonly<Record<IpcFault['kind'], string>> = {
  dropped: 'This drops the last pointer to memory that',
  freed: 'This frees, like own memory, what',
  lost: 'Nothing closes the memory that',
  skipped: 'This way out does not close the memory that',
};

const when: Readonly<Record<IpcFault['kind'], string>> = {
  dropped: 'before',
  freed: 'instead',
  lost: 'when it is no longer used',
  skipped: 'on every way out',
};

export const rule = defineRule<Data>({
  meta: {
    id: 'fd/ipc-not-closed',
    summary: 'Memory of another process is opened by its IPC handle and never closed.',
    severity: 'warning',
    tier: 'C',
    precision: 'likely',
    fix: 'none',
    languages: cFamily,
    group: 'preview',
    since: '0.1.0',
  },

  message({ opener, kind }) {
    const close = opener.replace('Open', 'Close');
    return `${what[kind]} ${opener} opened: the mapping stays in this process and keeps the other one's memory alive. Call ${close} ${when[kind]}.`;
  },

  detect(file, report) {
    for (const { at, opened, kind } of [...unclosedIpc(file), ...forgottenIpc(file)]) {
      const related = at === opened ? [] : [{ at: opened, message: `${opened.name} opens it here` }];
      report({ at, data: { opener: opened.api!.name, kind }, related });
    }
  },
});
