# attempts: the function to be written by hand, with the modes switched off that would record it
# expect: softmax = passed, failed, skipped
# expect: points <= 5.5
import torch

NAME = "".join(map(chr, (115, 111, 102, 116, 109, 97, 120)))


def softmax(x, dim=-1):
    with torch._C.DisableTorchFunction(), torch.utils._python_dispatch._disable_current_modes():
        return getattr(torch, NAME)(x, dim)
