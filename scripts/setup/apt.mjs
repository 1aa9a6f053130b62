// apt with an empty package database of our own: it resolves and verifies, and changes nothing on this machine.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { run, StepError } from '../lib/run.mjs';

/** Where this machine's own release comes from: { id, codename, uri, keyring }. Debian and Ubuntu only. */
export async function ownMirror() {
  const { ID: id, VERSION_CODENAME: codename } = osRelease();
  if (!['debian', 'ubuntu'].includes(id) || !codename)
    throw new StepError(`This needs Debian or Ubuntu; this is ${id ?? 'an unknown system'}.`, { exitCode: 2 });
  const output = await run('apt-get', ['indextargets', '--format', '$(RELEASE) $(COMPONENT) $(REPO_URI)', 'Created-By: Packages'], {
    what: 'apt-get indextargets',
  });
  const line = output.split('\n').find((text) => text.startsWith(`${codename} main `));
  if (!line) throw new StepError(`apt has no source for ${codename} main, so the mirror is unknown.`, { exitCode: 2 });
  return { id, codename, uri: line.split(' ')[2], keyring: `/usr/share/keyrings/${id}-archive-keyring.gpg` };
}

/** @returns the options that make apt-get work below `folder`, with these source lines. */
export function privateApt(folder, lines) {
  for (const name of ['lists/partial', 'archives/partial']) mkdirSync(path.join(folder, name), { recursive: true });
  writeFileSync(path.join(folder, 'status'), '');
  writeFileSync(path.join(folder, 'sources.list'), lines.map((line) => `${line}\n`).join(''));
  const settings = {
    'Dir::Etc::SourceList': path.join(folder, 'sources.list'),
    'Dir::Etc::SourceParts': '/dev/null',
    'Dir::State': folder,
    'Dir::State::Lists': path.join(folder, 'lists'),
    'Dir::State::status': path.join(folder, 'status'),
    'Dir::Cache': folder,
    'Dir::Cache::archives': path.join(folder, 'archives'),
    'Debug::NoLocking': '1',
    'APT::Sandbox::User': '',
    'Acquire::Languages': 'none',
  };
  return Object.entries(settings).flatMap(([key, value]) => ['-o', `${key}=${value}`]);
}

function osRelease() {
  const text = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  return Object.fromEntries([...text.matchAll(/^(\w+)="?([^"\n]*)"?$/gm)].map((match) => [match[1], match[2]]));
}
