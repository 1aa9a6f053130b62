// How much of a file a compiler reads: what an `#if` leaves out, a backend of another system for one, is parsed by nobody but this linter, which
// reads all arms.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { timed } from './timed.mjs';

const comment = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"/g;

/** Lines of code, without comments and directives. */
function linesOfCode(text) {
  const code = text.replace(comment, (found) => (found[0] === '"' ? found : ' ')).replace(/\\\r?\n/g, ' ');
  return code.split('\n').filter((line) => /\S/.test(line) && !/^\s*#/.test(line)).length;
}

/** Lines of a file that are left in what cppcheck's preprocessor makes of it. */
function linesLeft(output, file) {
  let isInside = false;
  let lines = 0;
  for (const line of output.split('\n')) {
    const place = /^#line \d+ "(.*)"$/.exec(line)?.[1];
    if (place !== undefined) isInside = path.resolve(place) === file;
    else if (isInside && /\S/.test(line)) lines++;
  }
  return lines;
}

/** True when at least half of a file is compiled. `database`: a folder with the compilation database of that file alone. */
export function isMostlyRead(database, file) {
  const { stdout } = timed('cppcheck', ['-E', '--quiet', `--project=${path.join(database, 'compile_commands.json')}`]);
  return linesLeft(stdout, file) * 2 >= linesOfCode(readFileSync(file, 'latin1'));
}
