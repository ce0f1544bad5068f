# attempts: returning objects that run code when somebody unpickles or copies them
# expect: attention_scores = failed
# expect: points = 0
import builtins


class Payload:
    def __reduce__(self):
        return builtins.exec, ("open('/tmp/kata-hostile-unpickled', 'w').write('x')",)

    def __reduce_ex__(self, protocol):
        return self.__reduce__()

    def __deepcopy__(self, memo):
        raise SystemExit

    def __getstate__(self):
        raise SystemExit


def attention_scores(Q, K):
    return Payload()
