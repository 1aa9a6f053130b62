/** Files that a command will write are looked at before its work begins: an hour of measuring must not end at a typing error. */
import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../engine/user-error';

/** Throws a UserError that names `option`. */
export function checkTarget(file: string, option: string): void {
  const refuse = (cause: string) => new UserError(`${file} cannot be written: ${cause}.`, `Choose another file with ${option}.`);
  const folder = path.dirname(path.resolve(file));
  const place = statSync(folder, { throwIfNoEntry: false });
  if (!place) throw refuse(`the folder ${folder} does not exist`);
  if (!place.isDirectory()) throw refuse(`${folder} is not a folder`);
  const known = statSync(file, { throwIfNoEntry: false });
  if (known?.isDirectory()) throw refuse('it is a folder');
  try {
    accessSync(known ? file : folder, constants.W_OK);
  } catch (error) {
    throw refuse(known ? `it is write-protected (${codeOf(error)})` : `the folder ${folder} is write-protected (${codeOf(error)})`);
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown error';
}
