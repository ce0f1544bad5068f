import torch


class HeadSplitter:
    def __init__(self, n_heads):
        self.n_heads = n_heads

    def fits(self, width):
        return width % self.n_heads == 0

    def split(self, x):
        if not self.fits(x.shape[-1]):
            raise HeadsDoNotFit(self.n_heads, x.shape[-1])
        return x.unflatten(2, (self.n_heads, -1)).movedim(2, 1)


class HeadsDoNotFit(ValueError):
    def __init__(self, n_heads, width):
        super().__init__(f"{width} features, {n_heads} heads")


def split_heads(x, n_heads):
    return HeadSplitter(n_heads).split(x)


class merge_heads:
    def __new__(cls, x):
        return x.movedim(1, 2).flatten(-2)
