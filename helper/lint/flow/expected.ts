// Tests that do something wrong on purpose say so: `with pytest.raises(...)`, `self.assertRaises(...)`, `pytest.warns(...)`.
import type { FileFacts, FunctionFacts, Span } from '../facts/index';
import { functionQuery } from '../memo/query';

const expecting = /^(raises|warns|deprecated_call|assert_?raises(_?regex)?|assert_?warns(_?regex)?)$/i;

/** The places of a function that are expected to fail. */
const expectedIn = functionQuery((_file, fn: FunctionFacts): readonly Span[] =>
  fn.events.flatMap((begin) => {
    if (begin.kind !== 'scopeBegin' || begin.context.kind !== 'call' || !expecting.test(begin.context.name)) return [];
    const end = fn.events.find((event) => event.kind === 'scopeEnd' && event.context === begin.context);
    return [{ start: begin.span.start, end: end?.span.end ?? begin.span.end }];
  }),
);

/** The place lies where a test of the file expects a failure. */
export function isExpectedToFail(file: FileFacts, place: Span): boolean {
  if (file.language !== 'python') return false;
  return file.functions.some((fn) => expectedIn(file, fn).some(({ start, end }) => start <= place.start && place.end <= end));
}
