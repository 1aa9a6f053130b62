import { type Check, fine, fix, found } from '../check';
import { variable } from '../facts';

/** Libraries that put themselves between programs and the drivers. */
const INTERPOSERS: [RegExp, string][] = [
  [/libvgpu|hami/i, 'HAMi, which limits GPU memory'],
  [/nvshare/i, 'nvshare, which lets programs take turns'],
  [/libgpushare|libcuda-control|cgpu|qgpu/i, 'a GPU sharing layer'],
  [/renderdoc/i, 'RenderDoc'],
  [/mangohud/i, 'MangoHud'],
  [/apitrace|egltrace|glxtrace/i, 'apitrace'],
  [/nsys|nsight|ToolsInjection|cupti/i, 'an NVIDIA profiler'],
  [/vglfaker|dlfaker/i, 'VirtualGL'],
];

export const preload: Check = {
  id: 'preload',
  title: 'Preloaded libraries',
  run({ env, system }) {
    const written = (env.LD_PRELOAD ?? '').split(/[\s:]+/).filter(Boolean);
    const all = [...written, ...system.preloadFile];
    const evidence = [...variable(env, 'LD_PRELOAD'), ...system.preloadFile.map((file) => `/etc/ld.so.preload: ${file}`)];
    if (all.length === 0) return fine('Nothing is preloaded.', evidence);
    const known = INTERPOSERS.filter(([name]) => all.some((file) => name.test(file))).map(([, words]) => words);
    if (known.length === 0) return found('info', `${all.length} libraries are preloaded into every program.`, evidence);
    return found(
      'warning',
      `Between programs and the drivers stands ${known.join(' and ')}: memory sizes, handles and errors may not be the driver's own.`,
      evidence,
      fix('Compare without it.', written.length > 0 ? 'env -u LD_PRELOAD seamscope doctor' : 'sudo mv /etc/ld.so.preload /etc/ld.so.preload.off'),
    );
  },
};
