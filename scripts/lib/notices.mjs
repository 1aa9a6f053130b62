// The licences of everything that travels in the package, from the packages themselves.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { openexrDocs } from '../setup/openexr.mjs';
import { sysrootPaths } from '../setup/sysroot.mjs';
import { inRoot } from './paths.mjs';
import { StepError } from './run.mjs';

/** Debian package -> what of it is inside the addon or beside it. */
const systemParts = {
  'libturbojpeg0-dev': 'libturbojpeg, shipped beside the addon',
  'libstdc++-10-dev': 'libstdc++ and libgcc, linked into the addon under the GCC Runtime Library Exception',
  'nlohmann-json3-dev': 'JSON for Modern C++, compiled into the addon',
  'libstb-dev': 'stb, compiled into the addon',
  'libvulkan-volk-dev': 'volk, compiled into the addon',
  'libvulkan-dev': 'Vulkan headers, compiled into the addon',
};

/** What is inside only where the sources of OpenEXR could be fetched. */
const exrParts = {
  'libopenexr-dev': "OpenEXR's C library, compiled into the addon",
  'libimath-dev': 'the half-precision header of Imath, compiled into the addon',
  'zlib1g-dev': 'the headers of zlib, compiled into the addon',
};

/** @param npmPackages names of the packages that were bundled. Throws when one has no licence text. */
export function notices(npmPackages) {
  const parts = openexrDocs() ? { ...systemParts, ...exrParts } : systemParts;
  const entries = [...npmPackages.map(npmEntry), npmEntry('node-addon-api'), ...Object.entries(parts).map(systemEntry)];
  const text = entries.map(({ title, licence }) => `## ${title}\n\n\`\`\`\n${licence.trim()}\n\`\`\`\n`);
  return `# Third-party notices\n\nSeamscope for Linux x64 contains the following works of others.\n\n${text.join('\n')}`;
}

function npmEntry(name) {
  const folder = inRoot('node_modules', name);
  const { version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  if (!file && !license) throw new StepError(`${name} has neither a licence file nor a licence field.`);
  return {
    title: `${name} ${version} (${license})`,
    licence: file ? readFileSync(path.join(folder, file), 'utf8') : `${license}, as its package.json says.`,
  };
}

function systemEntry([name, what]) {
  const folders = [path.join(sysrootPaths.root, 'usr/share/doc'), openexrDocs(), '/usr/share/doc'].filter((folder) => folder !== undefined);
  const file = folders.map((docs) => path.join(docs, name, 'copyright')).find(existsSync);
  if (!file) throw new StepError(`No copyright file of ${name} below /usr/share/doc: install the package ${name}.`);
  return { title: `${name}: ${what}`, licence: readFileSync(file, 'utf8') };
}
