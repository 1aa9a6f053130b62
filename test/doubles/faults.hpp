#pragma once
// Failures on demand, out of the JSON file that SEAMSCOPE_DOUBLES names:
//   "faults": {"failCall": 12, "error": 2}         the 12th call of this process fails, whichever it is
//   "faults": {"function": "cuMemCreate", "at": 3}  its third call fails; "at" 0: every call
//   "faults": {"hang": "cuEventQuery"}              it never returns
// With SEAMSCOPE_DOUBLES_BUSY set, the program keeps the queue of launches full: the publisher's own thread, by its
// name, waits in every call for as long as no test has patience. SEAMSCOPE_DOUBLES_WITHOUT names a function that
// answers "not supported". Calls are counted in each library on its own. SEAMSCOPE_DOUBLES_TRACE names a file that
// every call is written to.

namespace doubles {

// To be called first by every function that can fail: 0, or the error to answer with.
int fault(const char* function);

}  // namespace doubles
