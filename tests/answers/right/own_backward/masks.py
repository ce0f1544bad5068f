import torch


class _MaskedSoftmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores, mask):
        low = torch.finfo(scores.dtype).min
        w = torch.softmax(scores.masked_fill(~mask, low), dim=-1).masked_fill(~mask, 0)
        ctx.save_for_backward(w)
        return w

    @staticmethod
    def backward(ctx, g):
        w, = ctx.saved_tensors
        return w * (g - (w * g).sum(-1, keepdim=True)), None


masked_softmax = _MaskedSoftmax.apply
