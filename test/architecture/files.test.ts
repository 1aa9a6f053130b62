import { describe, expect, it } from 'vitest';
import { read, trackedFiles } from './sources';

const longestFile = 500;
const isText = (file: string) => !/\.(png|jpg|gif|wasm|ttf|woff2?|bin|exr|vsix|node)$/.test(file);
const isGenerated = (file: string) => file.endsWith('package-lock.json') || file === 'package.json';
/** Joined out of parts, which the limit holds for: programs carry one file. */
const isJoined = (file: string) => /^native\/publisher\/seamscope\.(py|h)$/.test(file);
/** Tables of facts about APIs may be as long as the API. */
const isData = (file: string) => file.startsWith('test/fixtures/') || file.startsWith('helper/lint/knowledge/') || file.endsWith('.json');
const isSource = (file: string) => /\.(ts|mts|mjs|js|cpp|hpp|h|c|cu|comp|vert|frag|glsl|css|py)$/.test(file);

/** "file:line text" of every line of a tracked file that matches. */
function hits(pattern: RegExp, isSubject: (file: string) => boolean): string[] {
  return trackedFiles()
    .filter((file) => isText(file) && isSubject(file))
    .flatMap((file) =>
      read(file)
        .split('\n')
        .map((text, index) => ({ text, at: `${file}:${index + 1}` }))
        .filter(({ text }) => pattern.test(text))
        .map(({ text, at }) => `${at} ${text.trim().slice(0, 120)}`),
    );
}

describe('tracked files', () => {
  it(`have at most ${longestFile} lines`, () => {
    const long = trackedFiles().filter(
      (file) => isSource(file) && !isData(file) && !isJoined(file) && read(file).split('\n').length > longestFile + 1,
    );
    expect(long).toEqual([]);
  });

  it('name no folder of a machine that they were written on', () => {
    expect(hits(/(?<![\w.~/}$-])\/(work|root|home\/(?!user\b)\w+|Users\/\w+)\/\w/, (file) => !isGenerated(file))).toEqual([]);
  });

  it('name no package registry or mirror host', () => {
    const hosts =
      /\b(registry\.npmjs\.org|registry\.yarnpkg\.com|deb\.debian\.org|(?:archive|security|ports)\.ubuntu\.com|ftp\.\w+\.debian\.org|pypi\.org|artifactory|nexus\.)/;
    expect(hits(hosts, (file) => file !== 'test/architecture/files.test.ts')).toEqual([]);
  });

  it('hold no conflict markers and no notes to self', () => {
    // Spelled apart, so that this file does not find itself.
    expect(hits(new RegExp(`^(<{7}|>{7}) |\\b(${['TO', 'DO'].join('')}|${['FIX', 'ME'].join('')})\\b`), (file) => !isData(file))).toEqual([]);
  });
});
