// Tests that do something wrong on purpose say so: `with pytest.raises(...)`, `self.assertRaises(...)`, `pytest.warns(...)`.
import type { Event, FileFacts, FunctionFacts, Span } from '../facts/index';
import { functionQuery } from '../memo/query';
import { functionsWhere } from '../memo/table';

const expecting = /^(raises|warns|deprecated_call|assert_?raises(_?regex)?|assert_?warns(_?regex)?)$/i;

/** Where a function begins and ends to expect a failure: events, not their places, which move with the text. */
const expectedIn = functionQuery((_file, fn: FunctionFacts): readonly { readonly begin: Event; readonly end: Event }[] =>
  fn.events.flatMap((begin) => {
    if (begin.kind !== 'scopeBegin' || begin.context.kind !== 'call' || !expecting.test(begin.context.name)) return [];
    const end = fn.events.find((event) => event.kind === 'scopeEnd' && event.context === begin.context);
    return [{ begin, end: end ?? begin }];
  }),
);

const expectsAny = functionsWhere((file, fn) => expectedIn(file, fn).length > 0);

/** The place lies where a test of the file expects a failure, or in what a mock is told to expect: that calls nothing. */
export function isExpectedToFail(file: FileFacts, place: Span): boolean {
  if (file.language !== 'python') {
    const before = file.text.slice(Math.max(0, place.start - 200), place.start);
    return before.includes('_CALL') && /\b(EXPECT|ON)_CALL\s*\([^;]*$/.test(before);
  }
  return expectsAny(file).some((fn) => expectedIn(file, fn).some(({ begin, end }) => begin.span.start <= place.start && place.end <= end.span.end));
}
