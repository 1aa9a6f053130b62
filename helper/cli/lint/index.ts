/** `seamscope lint`: exit code 0 without findings, 1 with, 2 when it could not run or could not check a file that it was given by name. */
import path from 'node:path';
import { UserError } from '../../engine/user-error';
import { ConfigFiles } from '../../lint/server/config-files';
import { FileFinder, type FoundFile, type LeftOut } from '../../lint/server/files';
import { loadGrammars } from '../../lint/server/grammar-files';
import { checkTarget } from '../target-file';
import { absent } from './absent';
import { Checker } from './checker';
import { explain } from './explain';
import { FileLinter } from './file-linter';
import { type LintArguments, parseLintArguments } from './options';
import { LintRun } from './run';

/** `dir` holds the bundles, their grammars and the pages of the rules. */
export async function runLint(args: string[], dir: string): Promise<number> {
  const options = parseLintArguments(args);
  if (options.explain !== undefined) return explain(options.explain, dir);
  if (options.baseline !== undefined && options.writeBaseline) checkTarget(options.baseline, '--baseline');
  const { found, leftOut } = findFiles(options);
  const { files, ignored } = notIgnored(found);
  const grammars = await loadGrammars(
    dir,
    files.reduce((sum, { size }) => sum + size, 0),
  ).catch((error: Error) => {
    throw new UserError(error.message, 'Run "npm run build", or install the extension again.');
  });
  const run = await LintRun.prepare(options, dir);
  const { preview, only, fix, jobs } = options;
  const checker = new Checker(new FileLinter(grammars, options), files.length, { dir, choice: { preview, only, fix } }, jobs);
  try {
    return await run.run(files, [...leftOut, ...ignored], checker);
  } finally {
    await checker.close();
  }
}

function findFiles({ paths, fix }: Pick<LintArguments, 'paths' | 'fix'>): { found: FoundFile[]; leftOut: LeftOut[] } {
  const leftOut: LeftOut[] = [];
  const finder = new FileFinder((what) => leftOut.push(what));
  const found: FoundFile[] = [];
  for (const given of paths) {
    const files = finder.find(given);
    if (!files) throw absent(given, fix);
    found.push(...files);
  }
  return { found, leftOut };
}

/** Leaves out what a seamscope.json ignores. A malformed one ends the run: nobody knows what it meant. */
function notIgnored(found: readonly FoundFile[]): { files: FoundFile[]; ignored: LeftOut[] } {
  const configs = new ConfigFiles();
  const ignored: LeftOut[] = [];
  const files = found.filter(({ file, isNamed }) => {
    const absolute = path.resolve(file);
    const config = configs.nearest(absolute);
    if (!config?.ignores(absolute)) return true;
    const reason = `${config.file} ignores it: "!${config.relative(absolute)}" at the end of its "ignore" would bring it back`;
    ignored.push({ file, reason, why: 'ignored', isNamed });
    return false;
  });
  const problems = configs.known.flatMap(({ file, problems: each }) =>
    each.map(({ line, column, message }) => `${path.relative('', file) || file}:${line}:${column}: ${message}`),
  );
  if (problems.length > 0) throw new UserError(problems.join('\n'), 'Mend the file; VS Code shows its schema as you type.');
  return { files, ignored };
}
