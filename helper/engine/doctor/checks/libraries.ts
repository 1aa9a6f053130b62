import { type Check, fine, fix, found, notApplicable } from '../check';
import { reasonsWith } from '../facts';

/** The path of every driver library that was really opened, and what is wrong with it. */
export const libraries: Check = {
  id: 'libraries',
  title: 'Driver libraries',
  run({ snapshot }) {
    const evidence = snapshot.libraries.map(({ name, path, version, error }) =>
      path ? `${name}: ${path}${version ? `, version ${version}` : ''}` : `${name}: ${error?.split('\n')[0] ?? 'not found'}`,
    );
    const damaged = reasonsWith(snapshot, 'driver-library-damaged');
    if (damaged.length > 0) return found('problem', damaged[0]!.message, evidence, ...damaged.map(({ nextStep }) => fix(nextStep)));
    if (reasonsWith(snapshot, 'vulkan-loader-missing').length > 0)
      return found('warning', 'The Vulkan loader is not installed.', evidence, fix('Install it.', 'sudo apt install libvulkan1'));
    const opened = snapshot.libraries.filter(({ path }) => path).length;
    if (snapshot.libraries.length === 0) return notApplicable('No driver was asked.');
    return fine(`${opened} of ${snapshot.libraries.length} were opened.`, evidence);
  },
};
