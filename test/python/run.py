"""Runs the tests beside this file. --list: their names, one a line. Otherwise one line of JSON a test: id, outcome, text."""

import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def flat(suite):
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from flat(item)
        else:
            yield item


class Lines(unittest.TestResult):
    def tell(self, test, outcome, text=""):
        print(json.dumps({"id": test.id(), "outcome": outcome, "text": text}), flush=True)

    def addSuccess(self, test):
        self.tell(test, "passed")

    def addSkip(self, test, reason):
        self.tell(test, "skipped", reason)

    def addFailure(self, test, error):
        self.tell(test, "failed", self._exc_info_to_string(error, test))

    def addError(self, test, error):
        self.tell(test, "failed", self._exc_info_to_string(error, test))

    def addSubTest(self, test, subtest, error):
        if error is not None:
            self.tell(test, "failed", "%s\n%s" % (subtest, self._exc_info_to_string(error, test)))


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    wanted = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    tests = [test for test in flat(unittest.defaultTestLoader.discover(here, "test_*.py")) if not wanted or any(w in test.id() for w in wanted)]
    if "--list" in sys.argv:
        print("\n".join(test.id() for test in tests))
        return
    result = Lines()
    for test in tests:
        test.run(result)


main()
