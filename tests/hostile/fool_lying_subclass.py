# attempts: a Tensor subclass that lies about its shape, dtype, device and numbers
# expect: attention_scores = failed, error
# expect: points = 0
import torch


class Liar(torch.Tensor):
    shape = property(lambda self: torch.Size([2, 3, 4, 6]))
    dtype = property(lambda self: torch.float64)
    device = property(lambda self: torch.device("cpu"))

    def size(self, *args):
        return torch.Size([2, 3, 4, 6])

    def numel(self):
        return 144

    def tolist(self):
        raise AssertionError("look away")

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func in (torch.Tensor.detach, torch.Tensor.to, torch.Tensor.contiguous):
            return args[0]
        if func is torch.Tensor.numpy:
            return Anything()
        return super().__torch_function__(func, types, args, kwargs or {})


class Anything:
    def __getattr__(self, name):
        return self

    def __call__(self, *args, **kwargs):
        return self


def attention_scores(Q, K):
    return torch.zeros(1).as_subclass(Liar)
