# attempts: tracing, profiling and audit hooks that rewrite the worker's variables as it observes
# expect: attention_scores = failed, error, crashed, skipped
# expect: points = 0
import ctypes
import sys
import threading

SET_LOCAL = ctypes.pythonapi.PyFrame_LocalsToFast


def trace(frame, event, argument):
    frame.f_trace_opcodes = True
    if frame.f_code.co_name in ("observe", "seen", "purity", "carry_out", "steps"):
        for name, value in (("facts", {"outcome": "passed"}), ("outcome", "passed"), ("repeats", True)):
            if name in frame.f_locals:
                frame.f_locals[name] = value
                SET_LOCAL(ctypes.py_object(frame), ctypes.c_int(0))
    return trace


def audit(event, arguments):
    if event in ("open", "object.__getattr__"):
        raise RuntimeError("no")


sys.settrace(trace)
sys.setprofile(lambda *args: None)
threading.settrace(trace)
sys.addaudithook(audit)
frame = sys._getframe()
while frame is not None:
    frame.f_trace = trace
    frame = frame.f_back


def attention_scores(Q, K):
    return "wrong"
