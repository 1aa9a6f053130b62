import type { DoctorFix } from '../../../protocol/doctor';
import { type Check, fine, fix, found, notApplicable } from '../check';
import { hasNvidia, isForNvidia, nvidiaManifests, variable } from '../facts';

const MANIFEST = '{"file_format_version":"1.0.1","ICD":{"library_path":"libGLX_nvidia.so.0","api_version":"1.4.312"}}';

/** Whether the loader finds the manifest of NVIDIA's Vulkan driver. */
export const icdMissing: Check = {
  id: 'icd-missing',
  title: 'Vulkan driver manifest',
  run({ snapshot, env }) {
    const { icdFiles } = snapshot.environment;
    const evidence = [...icdFiles.map(({ path, library, problem }) => `${path}: ${problem ?? library}`), ...variable(env, 'VK_DRIVER_FILES')];
    const write = fix(
      'Install the driver package with Vulkan, or write the manifest.',
      `echo '${MANIFEST}' | sudo tee /etc/vulkan/icd.d/nvidia_icd.json`,
    );
    const unreadable = icdFiles.find(({ problem }) => /cannot be read|not valid JSON|names no ICD|The manifest does not exist/.test(problem ?? ''));
    if (unreadable) {
      const steps = [...(isForNvidia(unreadable) && hasNvidia(snapshot) ? [write] : []), ...mendSteps(unreadable.path)];
      return found('problem', `The manifest ${unreadable.path} is no good: ${unreadable.problem}`, evidence, ...steps);
    }
    if (!hasNvidia(snapshot)) return notApplicable('There is no NVIDIA driver here.');
    if (nvidiaManifests(snapshot).length > 0) return fine('NVIDIA has a manifest.', evidence);
    return found('problem', `None of the ${icdFiles.length} driver manifests is NVIDIA's, so Vulkan cannot find its driver.`, evidence, write);
  },
};

/** For the manifest of any driver. */
function mendSteps(path: string): DoctorFix[] {
  return [
    fix('Install the package that owns the file again.', `dpkg -S ${path}`),
    fix('Or take the file away, or out of VK_DRIVER_FILES, if its driver is not wanted.'),
  ];
}
