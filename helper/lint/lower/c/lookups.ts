// Functions that the file looks up by name at run time: `export_fd = (F)vkGetDeviceProcAddr(device, "vkGetMemoryFdKHR")`.

const functionName = String.raw`"((?:vk|cu|cuda|egl|gl|hip)[A-Z]\w+)"`;
const asks = /proc_?addr|dlsym|getproc|symbol|load|lookup|resolve|import/i;
const assigned = new RegExp(String.raw`([A-Za-z_]\w*)\s*=\s*([^;={}"]{0,200})\(([^;={}"]{0,200})${functionName}`, 'g');
const passed = new RegExp(
  String.raw`([A-Za-z_]\w*)\s*\((?:[^;{}"()]{0,200},)?\s*${functionName}\s*,\s*([^;{}"]{0,200}?&\s*(?:[A-Za-z_]\w*(?:->|\.))*([A-Za-z_]\w*))`,
  'g',
);

type Lookup = readonly [variable: string, name: string];

/** Neither pattern reaches over a brace: pieces of a text can be looked at one by one. */
export function lookupsIn(piece: string): readonly Lookup[] {
  if (!/proc_?addr|dlsym|symbol/i.test(piece)) return [];
  const found: Lookup[] = [];
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
