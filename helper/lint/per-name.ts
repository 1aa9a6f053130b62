const most = 10_000;

/** Remembers answers about names and types: classes have the same few again and again, and rules compare their fields pair by pair. */
export function perName<T>(answer: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>();
  return (name) => {
    if (known.has(name)) return known.get(name)!;
    if (known.size >= most) known.clear();
    const given = answer(name);
    known.set(name, given);
    return given;
  };
}
