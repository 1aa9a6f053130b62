// Where files lie to each other.

interface Placed {
  readonly file: string;
}

/**
 * Those that share the longest way with a file: two programs in one workspace may have functions of the same name.
 * Those in its own folder come first.
 */
export function nearest<T extends Placed>(from: string, all: readonly T[]): T[] {
  if (all.length < 2) return [...all];
  const way = parts(from);
  const shared = all.map(({ file }) => sharedLength(way, parts(file)));
  const longest = Math.max(...shared);
  const near = all.filter((_, i) => shared[i] === longest);
  const beside = near.filter(({ file }) => parts(file).length === longest);
  return longest === way.length && beside.length > 0 ? beside : near;
}

function parts(file: string): string[] {
  return file.split(/[\\/]/).slice(0, -1);
}

function sharedLength(a: readonly string[], b: readonly string[]): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}

/** The file is what Python may mean by a dotted module name. */
export function isModule(file: string, module: string): boolean {
  const inner = module.split('.').join('/');
  const plain = `/${file.replaceAll('\\', '/').replace(/\.pyi?$/i, '')}`;
  return plain.endsWith(`/${inner}`) || plain.endsWith(`/${inner}/__init__`);
}
