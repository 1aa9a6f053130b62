/**
 * # fd/ipc-free-before-close
 *
 * ## What it does
 * Reports a function that frees memory which it exported by IPC while it still has the memory of its peers open, and one that frees it right
 * after closing theirs, with no barrier between, where ranks run the same code.
 *
 * ## Why is this bad
 * All processes run the same order. Whoever frees what it exported before it closes what it opened frees memory that a peer still has
 * open: using an exported allocation after its exporter freed it is undefined behaviour, and the free itself may fail.
 *
 * ## Example
 * ```cpp
 * #include <cuda_runtime.h>
 * void exchange(void* own, const cudaIpcMemHandle_t& theirs, cudaIpcMemHandle_t* ours) {
 *     cudaIpcGetMemHandle(ours, own);
 *     void* peer = nullptr;
 *     cudaIpcOpenMemHandle(&peer, theirs, cudaIpcMemLazyEnablePeerAccess);
 *     cudaFree(own);
 *     cudaIpcCloseMemHandle(peer);
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cuda_runtime.h>
 * void barrier();
 * void exchange(void* own, const cudaIpcMemHandle_t& theirs, cudaIpcMemHandle_t* ours) {
 *     cudaIpcGetMemHandle(ours, own);
 *     void* peer = nullptr;
 *     cudaIpcOpenMemHandle(&peer, theirs, cudaIpcMemLazyEnablePeerAccess);
 *     cudaIpcCloseMemHandle(peer);
 *     barrier();  // every peer has closed
 *     cudaFree(own);
 * }
 * ```
 *
 * ## What it cannot see
 * Orders across functions and processes: whether the peers have closed is theirs to say.
 */
import { earlyFrees, unawaitedFrees } from '../../analyses/ipc-memory';
import { cFamily, defineRule } from '../rule';

export const rule = defineRule<{ free: string; memory: string; kind: 'open' | 'unawaited' }>({
  meta: {
    id: 'fd/ipc-free-before-close',
    summary: 'Exported memory is freed while the memory of the peers is still open.',
    severity: 'warning',
    tier: 'B',
    precision: 'likely',
    fix: 'none',
    languages: cFamily,
    group: 'preview',
    since: '0.1.0',
  },

  message({ free, memory, kind }) {
    if (kind === 'unawaited')
      return `${free} frees \`${memory}\`, which other ranks have by its IPC handle, right after this one has closed theirs: slower ranks may still have it mapped. Put a barrier between closing and freeing.`;
    return `${free} frees \`${memory}\`, which other processes have by its IPC handle, before this one has closed theirs: a peer that runs the same order still uses it. Close first, wait for the peers, then free.`;
  },

  detect(file, report) {
    for (const { free, opened, close } of file.subjects.flatMap(earlyFrees)) {
      const related = [
        { at: opened, message: 'memory of a peer is opened here' },
        { at: close, message: 'and closed only here' },
      ];
      report({ at: free, data: { free: free.name, memory: file.source(free.args[0] ?? free), kind: 'open' }, related });
    }
    for (const { free, close, exported } of file.subjects.flatMap((fn) => unawaitedFrees(file, fn))) {
      const related = [
        { at: exported, message: 'exported here' },
        { at: close, message: 'the memory of the peers is closed here' },
      ];
      report({ at: free, data: { free: free.name, memory: file.source(free.args[0] ?? free), kind: 'unawaited' }, related });
    }
  },
});
