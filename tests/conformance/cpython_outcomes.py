"""Runs test modules of CPython; prints "OUTCOME TEST" for each test, sorted."""
import fcntl
import os
import signal
import sys
import unittest


class Outcomes(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.lines = []

    def note(self, outcome, test):
        self.lines.append(f"{outcome} {test.id()}")

    def addSuccess(self, test):
        self.note("ok", test)

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.note("FAIL", test)

    def addError(self, test, error):
        super().addError(test, error)
        self.note("ERROR", test)

    def addSkip(self, test, reason):
        self.note("skip", test)

    def addExpectedFailure(self, test, error):
        self.note("expected-failure", test)

    def addUnexpectedSuccess(self, test):
        self.note("UNEXPECTED-SUCCESS", test)


# A shell has its background jobs ignore it, and tests send it to themselves.
signal.signal(signal.SIGINT, signal.default_int_handler)
# What tests print is no outcome.
out = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
result = Outcomes()
for module in sys.argv[1:]:
    unittest.defaultTestLoader.loadTestsFromName("test." + module).run(result)
for _, text in result.failures + result.errors:
    print(text, file=sys.stderr)
# Several of these run at a time, and a pipe takes 4096 bytes at a time from each.
with open(__file__) as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    for line in sorted(result.lines):
        print(line, file=out)
    out.close()
