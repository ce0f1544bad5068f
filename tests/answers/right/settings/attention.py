"""Settings for the whole process, as notebooks begin."""
import atexit
import logging
import math
import os
import random
import sys
import warnings

import numpy as np
import torch
import torch.nn.functional as F

os.environ["KMP_DUPLICATE_LIB_OK"] = "TRUE"
logging.basicConfig(level=logging.DEBUG)
warnings.filterwarnings("ignore")
random.seed(0)
np.random.seed(0)
np.set_printoptions(precision=3)
np.seterr(all="raise")
torch.manual_seed(0)
torch.set_printoptions(precision=2, sci_mode=False)
torch.set_num_threads(2)
torch.set_default_dtype(torch.float64)
torch.set_grad_enabled(True)
torch.use_deterministic_algorithms(True)
torch.backends.cudnn.benchmark = False
torch.autograd.set_detect_anomaly(True)
sys.setrecursionlimit(5000)
atexit.register(print, "bye")
device = "cuda" if torch.cuda.is_available() else "cpu"
print("running on", device, torch.__version__)


def attention_scores(Q, K):
    print("scores", Q.shape, K.shape)
    return Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])


def softmax(x, dim=-1):
    print(x)
    return F.normalize(torch.exp(x - x.amax(dim, keepdim=True)), p=1.0, dim=dim)


def attention(Q, K, V, mask=None):
    scores = attention_scores(Q, K)
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = softmax(scores)
    assert not torch.isnan(weights).any(), "NaN!"
    return weights @ V, weights


Q, K, V = torch.randn(2, 3, 4), torch.randn(2, 5, 4), torch.randn(2, 5, 4)
output, weights = attention(Q, K, V)
assert torch.allclose(weights, torch.softmax(attention_scores(Q, K), -1))
print(output)
