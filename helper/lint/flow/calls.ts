// Calls and assignments of a whole file by what they mean. An answer stays identical as long as it is equal, so that a rule that needs it as
// evidence need not run again for each edit of the file.
import type { Assign, Call, FileFacts } from '../facts/index';
import { pathKey, pathOf } from '../facts/paths';
import { fileQuery } from '../memo/query';
import { functionTable } from '../memo/table';

const byApi = functionTable<string, Call>((_, fn) => fn.calls.flatMap((call) => (call.api ? [[call.api.name, call]] : [])));

/** Asks for all calls of a file to APIs whose name matches, in source order. */
export function callsTo(pattern: RegExp): (file: FileFacts) => readonly Call[] {
  return fileQuery((file) => {
    const lists = [...byApi.keys(file)].filter((name) => pattern.test(name)).map((name) => byApi.of(file, name));
    return lists.length === 1 ? lists[0]! : lists.flat().sort((a, b) => a.span.start - b.span.start || a.id - b.id);
  });
}

type Given = Assign & { readonly value: NonNullable<Assign['value']> };

const assigned = functionTable<string, Given>((_, fn) =>
  fn.events.flatMap((event) => {
    const target = event.kind === 'assign' && event.value ? pathOf(event.target) : undefined;
    return target ? [[pathKey(target), event as Given]] : [];
  }),
);

/** Assignments of a value to a path with this key, wherever in the file; which variable of that name is meant is not looked at. */
export function assignmentsTo(file: FileFacts, key: string): readonly Given[] {
  return assigned.of(file, key);
}
