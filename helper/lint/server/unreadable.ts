// Why something on disk cannot be read, and what to do, as half a sentence.

const steps: Readonly<Record<string, string>> = {
  EACCES: 'check its permissions',
  EPERM: 'check its permissions',
  ENOENT: 'it was removed or renamed meanwhile, so run again',
  ELOOP: 'it is a link that leads to itself',
  ENAMETOOLONG: 'its path is too long for this system',
  EMFILE: 'too many files are open, so close other programs or raise "ulimit -n"',
};

/** Node puts this character for bytes that are no UTF-8, and then finds nothing under the name. */
export function isNotUtf8(name: string): boolean {
  return name.includes('\ufffd');
}

/** @param name where it is not known that the system has it */
export function unreadable(error: unknown, what = 'it', name = ''): string {
  if (isNotUtf8(name)) return `${what} has a name that is not UTF-8: rename it`;
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
  return `${what} cannot be read (${code}): ${steps[code] ?? 'try to open it with another program'}`;
}
