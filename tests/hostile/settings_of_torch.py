# attempts: leaving torch with other defaults for whoever comes next
# expect: attention_scores = passed, failed, error
# expect: points <= 8
import random

import numpy
import torch

torch.set_default_dtype(torch.float16)
torch.set_grad_enabled(False)
torch.use_deterministic_algorithms(True)
torch.set_num_threads(2)
torch.set_printoptions(precision=1, threshold=3)
torch.set_flush_denormal(True)
torch.autograd.set_detect_anomaly(True)
torch.set_float32_matmul_precision("medium")
torch.backends.mkldnn.enabled = False
torch.manual_seed(0)
torch.inference_mode().__enter__()
torch.set_default_device("meta")
numpy.seterr(all="raise")
numpy.random.seed(0)
random.seed(0)


def attention_scores(Q, K):
    return Q @ K.mT / Q.size(-1) ** 0.5
