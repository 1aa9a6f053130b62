import { type Check, fine, fix, found, notApplicable } from '../check';
import { hasNvidia } from '../facts';
import { loaderWords } from './icd-library';

/** The GLX driver on a machine without a display, or a driver package that is not whole. */
export const icdEntryPoint: Check = {
  id: 'icd-entry-point',
  title: 'Entry points of the Vulkan driver',
  asks: 'vulkan',
  run(facts) {
    if (facts.snapshot.environment.icdFiles.length === 0) return notApplicable('There is no driver manifest.');
    const words = loaderWords(facts).filter((line) => /vk_icdGetInstanceProcAddr|vk_icdNegotiate/.test(line));
    if (words.length === 0) return fine('The loader found every entry point that it asked for.');
    if (!hasNvidia(facts.snapshot))
      return found(
        'problem',
        'A Vulkan driver was loaded and gave no vkCreateInstance: its library is not whole or not of this version.',
        words,
        fix('Install the package of that driver again.'),
      );
    return found(
      'problem',
      'A Vulkan driver was loaded and gave no vkCreateInstance: its GLX half needs a display, or a driver package is missing.',
      words,
      fix('Install the whole driver, headless variant included.', 'sudo apt install libnvidia-gl-$(cut -d. -f1 /sys/module/nvidia/version)-server'),
      fix('Or use a manifest that names libEGL_nvidia.so.0.'),
    );
  },
};
