// Calls of a whole file by the API they mean.
import type { Call, FileFacts } from '../facts/index';
import { fileQuery, functionQuery } from '../memo/query';

const apiCallsIn = functionQuery((_, fn) => fn.calls.filter((call) => call.api));

const byName = fileQuery((file) => {
  const found = new Map<string, Call[]>();
  for (const fn of file.functions) {
    for (const call of apiCallsIn(file, fn)) {
      const known = found.get(call.api!.name);
      if (known) known.push(call);
      else found.set(call.api!.name, [call]);
    }
  }
  return found;
});

/**
 * Asks for all calls of a file to APIs whose name matches, in source order. The answer stays identical as long as it is equal, so that
 * a rule that needs it as evidence need not run again for each edit of the file.
 */
export function callsTo(pattern: RegExp): (file: FileFacts) => readonly Call[] {
  return fileQuery((file) => {
    const lists = [...byName(file)].filter(([name]) => pattern.test(name)).map(([, calls]) => calls);
    return lists.length === 1 ? lists[0]! : lists.flat().sort((a, b) => a.span.start - b.span.start || a.id - b.id);
  });
}

/** All calls of a file, in order of its functions; made once for each version. */
export const allCalls = fileQuery((file): readonly Call[] => file.functions.flatMap((fn) => fn.calls));
