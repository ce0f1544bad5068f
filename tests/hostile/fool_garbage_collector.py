# attempts: finding the expected result, the key or other submissions among all objects in memory
# expect: attention_scores = error, timeout
# expect: points = 0
import gc

import numpy
import torch

TELLING = ("ATTENTION_SCORES", "mistakes", "fingerprinted", "gradebook")


def attention_scores(Q, K):
    right = (Q @ K.mT / Q.size(-1) ** 0.5).detach()
    gc.unfreeze()
    for each in gc.get_objects():
        if (
            type(each) is dict
            and any(name in each for name in TELLING[:3])
            and "torch" not in str(each.get("__name__"))
        ):
            return right
        for array in gc.get_referents(each) if type(each) in (dict, list, tuple) else ():
            if isinstance(array, torch.Tensor | numpy.ndarray) and tuple(array.shape) == tuple(right.shape):
                if array is not right and torch.allclose(torch.as_tensor(array).to(right), right):
                    return right
    raise RuntimeError("not in memory")
