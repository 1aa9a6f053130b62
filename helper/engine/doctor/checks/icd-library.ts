import type { DoctorFix } from '../../../protocol/doctor';
import { type Check, fine, fix, found, notApplicable } from '../check';
import { type DoctorFacts, hasNvidia, isForNvidia, wordsOf } from '../facts';

const PACKAGES: [RegExp, string][] = [
  [/libXext/, 'libxext6'],
  [/libX11/, 'libx11-6'],
  [/libxcb/, 'libxcb1'],
  [/libGLX|libEGL|libGLdispatch/, 'libglvnd0 libglx0 libegl1'],
  [/libwayland/, 'libwayland-client0'],
];

/** Whether the library that a manifest names can be loaded with everything that it links. */
export const icdLibrary: Check = {
  id: 'icd-library',
  title: 'Libraries of the Vulkan driver',
  asks: 'vulkan',
  run(facts) {
    const { icdFiles } = facts.snapshot.environment;
    if (icdFiles.length === 0) return notApplicable('There is no driver manifest.');
    const words = loaderWords(facts).filter((line) =>
      /cannot open shared object|Failed loading library|undefined symbol|The library .* does not exist/.test(line),
    );
    if (words.length === 0)
      return fine(
        'Every manifest names a library that loads.',
        icdFiles.map(({ path, library }) => `${path}: ${library}`),
      );
    const missing = /(lib[\w.+-]+\.so[.\d]*)(?:: cannot open| does not exist)/.exec(words.join('\n'))?.[1];
    return found('problem', refusal(words, missing), words, missing ? installStep(missing) : REINSTALL, ...eglSteps(facts));
  },
};

const REINSTALL = fix('Install the package of that driver again; it does not fit the other libraries here.');

/** Names the library that is missing, else the one that was refused with what the linker said of it. */
function refusal(words: string[], missing: string | undefined): string {
  if (missing) return `A Vulkan driver was refused because ${missing} is missing or broken.`;
  const refused = /(\/\S+\.so[.\w]*|lib[\w.+-]+\.so[.\d]*)/.exec(words.join('\n'))?.[1];
  const symbol = /undefined symbol: (\S+)/.exec(words.join('\n'))?.[1]?.replace(/[,)]$/, '');
  const why = symbol ? `it needs the symbol ${symbol}, which no library here has` : words[0];
  return refused ? `The Vulkan driver ${refused} was refused: ${why}.` : `A Vulkan driver was refused: ${why}.`;
}

function installStep(missing: string): DoctorFix {
  const names = PACKAGES.find(([library]) => library.test(missing))?.[1];
  return names
    ? fix(`Install ${names}.`, `sudo apt install ${names}`)
    : fix(`Install the package that provides ${missing}.`, `apt-file search ${missing}`);
}

/** Only NVIDIA's driver has two halves to choose from. */
export function eglSteps({ snapshot }: DoctorFacts): DoctorFix[] {
  const concerned = hasNvidia(snapshot) && snapshot.environment.icdFiles.some((file) => file.problem && isForNvidia(file));
  return concerned ? [fix('Or use a manifest that names libEGL_nvidia.so.0, which needs no X libraries.')] : [];
}

export function loaderWords({ snapshot }: DoctorFacts): string[] {
  const problems = snapshot.environment.icdFiles.flatMap(({ problem }) => problem?.split('\n') ?? []);
  return [...new Set([...problems, ...wordsOf(snapshot.vulkan.reason ? [snapshot.vulkan.reason] : [])])];
}
