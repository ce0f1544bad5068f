from my_masks import *
from my_masks import _with_zeros as masked_softmax
