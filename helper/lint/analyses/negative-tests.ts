// Tests that do something wrong on purpose and say so: what they write is no oversight.
import type { FunctionFacts } from '../facts/index';

const announces =
  /^(SetDesired(Error|Failure|Warning)\w*|SetUnexpectedError|(EXPECT|ASSERT)_(THROW|ANY_THROW|DEATH\w*|EXIT|FATAL_FAILURE|NONFATAL_FAILURE|ERROR\w*)|(REQUIRE|CHECK)_THROWS\w*|assertRaises\w*)$/;

/** The function announces that an error is wanted. */
export function expectsErrors(fn: FunctionFacts): boolean {
  return fn.calls.some(({ name }) => announces.test(name)) || (fn.parent !== undefined && expectsErrors(fn.parent));
}
