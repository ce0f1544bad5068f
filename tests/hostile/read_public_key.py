# attempts: reading the answer key and returning the results in it
# expect: attention_scores = error
# expect: softmax = error
# expect: attention = error
# expect: points = 0
import sys
from pathlib import Path

import torch
from safetensors.torch import load

package = Path(sys.modules["attention_kata.worker.answer"].__file__).resolve().parents[1]
key = {}
for path in (
    package / "public.key.safetensors",
    *(Path(p) / "attention_kata/public.key.safetensors" for p in sys.path),
):
    try:
        key = load(path.read_bytes())
        break
    except OSError:
        pass


def look_up(name, *inputs):
    """The results of the case whose inputs these are."""
    for entry, array in key.items():
        if entry.startswith(f"{name}/") and "/in/" in entry and array.shape == inputs[0].shape:
            if torch.equal(array.to(inputs[0]), inputs[0]):
                case = entry.split("/in/")[0]
                found = [key[f"{case}/out/{i}"] for i in range(2) if f"{case}/out/{i}" in key]
                return found[0] if len(found) == 1 else tuple(found)
    raise LookupError("no key, or no such case in it")


def attention_scores(Q, K):
    return look_up("attention_scores", Q)


def softmax(x, dim=-1):
    return look_up("softmax", x)


def attention(Q, K, V, mask=None):
    return look_up("attention", Q)
