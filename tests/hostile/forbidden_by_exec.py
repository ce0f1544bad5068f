# attempts: the function to be written by hand, in a text that is executed
# expect: softmax = failed, skipped
# expect: points = 0
import base64

exec(base64.b64decode(b"aW1wb3J0IHRvcmNoCmRlZiBmaW5pc2hlZCh4LCBkaW0pOgogICAgcmV0dXJuIHRvcmNoLnNvZnRtYXgoeCwgZGltKQo="))


def softmax(x, dim=-1):
    return finished(x, dim)  # noqa: F821
