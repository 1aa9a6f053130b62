import type { LibraryReport } from '../../../protocol/devices';
import { type Check, fine, fix, found, notApplicable } from '../check';
import { reasonsWith } from '../facts';

/** The path of every driver library that was really opened, and what is wrong with it. */
export const libraries: Check = {
  id: 'libraries',
  title: 'Driver libraries',
  asks: 'drivers',
  run({ snapshot }) {
    const evidence = snapshot.libraries.flatMap(libraryLines);
    const damaged = reasonsWith(snapshot, 'driver-library-damaged');
    if (damaged.length > 0) return found('problem', damaged[0]!.message, evidence, ...damaged.map(({ nextStep }) => fix(nextStep)));
    if (reasonsWith(snapshot, 'vulkan-loader-missing').length > 0)
      return found('warning', 'The Vulkan loader is not installed.', evidence, fix('Install it.', 'sudo apt install libvulkan1'));
    const passed = snapshot.libraries.find(({ path, passedOver }) => path && passedOver);
    if (passed)
      return found(
        'warning',
        `${passed.path} was opened because a file before it was not usable: ${passed.passedOver!.split('\n')[0]}.`,
        evidence,
        fix('Remove or mend that file, or take its folder out of LD_LIBRARY_PATH: other programs may fail where this one went on.'),
      );
    const opened = snapshot.libraries.filter(({ path }) => path).length;
    if (snapshot.libraries.length === 0) return notApplicable('No driver was asked.');
    return fine(`${opened} of ${snapshot.libraries.length} were opened.`, evidence);
  },
};

/** What was opened, and what was not taken before it. */
function libraryLines({ name, path, version, error, passedOver }: LibraryReport): string[] {
  if (!path) return [withName(name, error?.split('\n')[0] ?? 'not found')];
  const refused = passedOver?.split('\n').map((line) => `${name}: not taken: ${line}`) ?? [];
  return [`${name}: ${path}${version ? `, version ${version}` : ''}`, ...refused];
}

/** The linker begins with the name as a rule. */
function withName(name: string, words: string): string {
  return words.startsWith(`${name}:`) ? words : `${name}: ${words}`;
}
