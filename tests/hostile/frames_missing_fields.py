# attempts: observations that lack what their outcome needs
# expect: attention_scores = crashed
# expect: softmax = crashed
# expect: attention = failed, crashed
# expect: points = 0
import json
import os
import struct
import sys

# shared: frames


# shared: look


FORMS = [
    {"outcome": "raised"}, {"outcome": "raised", "error": None}, {"outcome": "raised", "error": {}},
    {"outcome": "refused"}, {"outcome": "refused", "refused": {}},
    {"outcome": "refused", "refused": {"kind": "layers"}},
    {"outcome": "timeout"}, {"outcome": "crashed"}, {"outcome": ["returned"]}, {}, [], None, 0, "", {"outcome": {}},
    {"outcome": "returned", "results": {}}, {"outcome": "returned", "results": [[]]},
    {"outcome": "returned", "results": [{"type": None}]}, {"outcome": "returned", "results": [{"type": "Tensor"}]},
    {"outcome": "returned", "results": [], "gradients": []}, {"outcome": "returned", "results": [], "functions": {}},
]  # fmt: skip


def forge():
    """One form for each worker: the first frame that is not understood ends it."""
    key = look("key")
    form = FORMS[KEYS.index(key) % len(FORMS)]
    write_everywhere(frame(b"O", {"key": key, **form} if isinstance(form, dict) else form))
    os._exit(0)


def attention_scores(Q, K):
    forge()


def softmax(x, dim=-1):
    forge()


def attention(Q, K, V, mask=None):
    forge()
