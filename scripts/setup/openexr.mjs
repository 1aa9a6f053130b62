// The sources of OpenEXR's C library, with the headers that belong to them, out of the packages of this machine's release. The library is built
// into the addon: the packaged one needs a newer C library than the .vsix may ask for. Without them everything builds, and EXR files are refused.
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { cache } from '../lib/paths.mjs';
import { run } from '../lib/run.mjs';
import { clearStamp, hashOf, stampMatches, writeStamp } from '../lib/stamp.mjs';
import { ownMirror, privateApt } from './apt.mjs';

const home = path.join(cache, 'openexr');
const stamp = path.join(home, 'ready');
const recipe = hashOf({ texts: ['2'] });
const core = path.join(home, 'source/src/lib/OpenEXRCore');
const packages = ['libopenexr-dev', 'libimath-dev', 'zlib1g-dev'];

/** Where the licence texts of what was built in lie; nothing where it is left out. */
export const openexrDocs = () => (existsSync(core) ? path.join(home, 'packages/usr/share/doc') : undefined);

export const openexr = {
  name: "sources of OpenEXR's C library",
  isReady: () => stampMatches(stamp, recipe),
  install,
};

async function install() {
  clearStamp(stamp);
  rmSync(home, { recursive: true, force: true });
  try {
    await fetch();
  } catch (error) {
    rmSync(home, { recursive: true, force: true });
    process.stderr.write(`setup: EXR support is left out: ${error.message.split('\n')[0]}\n`);
  }
  writeStamp(stamp, recipe);
}

async function fetch() {
  const { id, codename, uri, keyring } = await ownMirror();
  const apt = path.join(home, 'apt');
  const line = `[signed-by=${keyring}] ${uri} ${codename} ${id === 'ubuntu' ? 'main universe' : 'main'}`;
  const options = privateApt(apt, [`deb ${line}`, `deb-src ${line}`]);
  await run('apt-get', [...options, '-q', 'update'], { what: 'reading the package lists of this release' });
  await run('apt-get', [...options, '-q', '--download-only', 'source', 'openexr'], { what: 'downloading the sources of OpenEXR', cwd: apt });
  await run('apt-get', [...options, '-q', 'download', ...packages], { what: 'downloading the headers of OpenEXR', cwd: apt });
  for (const file of filesOf(apt, '.deb')) await run('dpkg', ['-x', file, path.join(home, 'packages')], { what: `unpacking ${path.basename(file)}` });
  const source = path.join(home, 'source');
  mkdirSync(source);
  for (const file of filesOf(apt, '.orig.tar.gz'))
    await run('tar', ['-xzf', file, '-C', source, '--strip-components=1'], { what: 'unpacking OpenEXR' });
  rmSync(apt, { recursive: true });
  keepOnly(source, ['src', 'LICENSE.md']);
  if (!existsSync(path.join(core, 'openexr.h'))) throw new Error('this release has OpenEXR 2, whose C library came with version 3.1.');
}

const filesOf = (folder, end) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(end))
    .map((name) => path.join(folder, name));

function keepOnly(folder, names) {
  for (const name of readdirSync(folder)) if (!names.includes(name)) rmSync(path.join(folder, name), { recursive: true });
}
