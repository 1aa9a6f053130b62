/** A path of the command line that leads to nothing: why, and what to do. */
import { lstatSync, statSync } from 'node:fs';
import { UserError } from '../../engine/user-error';
import { isNotUtf8 } from '../../lint/server/unreadable';
import type { LintArguments } from './options';

export function absent(given: string, fix: LintArguments['fix']): UserError {
  if (fix && /^(safe|suggestion)$/.test(given))
    return new UserError(`${given} does not exist.`, `Write --fix=${given}: behind a blank it is a path.`);
  if (given === '') return new UserError('One of the paths is empty.', 'Look for a variable of the shell that is not set.');
  if (given === '-') return new UserError('Standard input is not read.', 'Write the text into a file and name that.');
  if (isNotUtf8(given)) return new UserError(`${given} has a name that is not UTF-8.`, 'Rename it.');
  const code = codeOf(given);
  if (code === 'ELOOP') return new UserError(`${given} is a link that leads to itself.`, 'Mend the link.');
  if (code === 'EACCES') return new UserError(`${given} cannot be reached (EACCES).`, 'Check the permissions of the folders above it.');
  if (isLink(given)) return new UserError(`${given} is a link that leads nowhere.`, 'Mend the link.');
  return new UserError(`${given} does not exist.`, 'Check the path; it is taken relative to the current folder.');
}

function codeOf(given: string): string | undefined {
  try {
    statSync(given);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}

function isLink(given: string): boolean {
  try {
    return lstatSync(given).isSymbolicLink();
  } catch {
    return false;
  }
}
