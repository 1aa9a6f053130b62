// Functions under other names: looked up at run time, `export_fd = (F)vkGetDeviceProcAddr(device, "vkGetMemoryFdKHR")`, or assigned to a
// pointer, `.create = eglCreateSync`.

const functionName = String.raw`"((?:vk|cu|cuda|egl|gl|hip)[A-Z]\w+)"`;
const asks = /proc_?addr|dlsym|getproc|symbol|load|lookup|resolve|import/i;
const assigned = new RegExp(String.raw`\b([A-Za-z_]\w*)\s*=\s*([^;={}"]{0,200})\(([^;={}"]{0,200})${functionName}`, 'g');
const passed = new RegExp(
  String.raw`\b([A-Za-z_]\w*)\s*\((?:[^;{}"()]{0,200},)?\s*${functionName}\s*,\s*([^;{}"]{0,200}?&\s*(?:[A-Za-z_]\w*(?:->|\.))*([A-Za-z_]\w*))`,
  'g',
);

/** Only found by its end: names in front of `=` are everywhere. An arm that is blanked may leave 100 KB of spaces behind a `=`: they are read once. */
const stored = /=\s*(?:&\s*)?(?:::)?((?:vk|cuda|cu|egl|gl|hip)[A-Z]\w+)\s*[;,}]/g;

type Lookup = readonly [variable: string, name: string];

/** Neither pattern reaches over a brace: pieces of a text can be looked at one by one. */
export function lookupsIn(piece: string): readonly Lookup[] {
  const found: Lookup[] = [];
  for (const { index, 1: name } of piece.matchAll(stored)) {
    const variable = /(\w+)\s*$/.exec(piece.slice(Math.max(0, index - 80), index))?.[1];
    if (variable) found.push([variable, name!]);
  }
  if (!/proc_?addr|dlsym|symbol/i.test(piece)) return found;
  for (const [, variable, caller, , name] of piece.matchAll(assigned)) if (asks.test(caller!)) found.push([variable!, name!]);
  for (const [, caller, name, , variable] of piece.matchAll(passed)) if (asks.test(caller!)) found.push([variable!, name!]);
  return found;
}

/** Name of the variable or field to the name of the function; a name that gets several is left out. */
export function lookedUpFunctions(lookups: readonly Lookup[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const unsure = new Set<string>();
  for (const [variable, name] of lookups) {
    if ((found.get(variable) ?? name) !== name) unsure.add(variable);
    found.set(variable, name);
  }
  for (const variable of unsure) found.delete(variable);
  return found;
}
