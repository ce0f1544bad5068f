# attempts: leaving Python with other settings: recursion, switching, warnings, hash seed, gc, signals, float format
# expect: attention_scores = passed, failed, error, skipped
# expect: points <= 8
import decimal
import faulthandler
import gc
import os
import sys
import warnings

sys.setrecursionlimit(100_000)
sys.setswitchinterval(1000)
sys.set_int_max_str_digits(0)
sys.dont_write_bytecode = False
gc.disable()
gc.set_threshold(1)
faulthandler.enable()
warnings.simplefilter("error")
decimal.getcontext().prec = 1
os.environ["PYTHONHASHSEED"] = "7"
os.environ["OMP_NUM_THREADS"] = "64"


def attention_scores(Q, K):
    return Q @ K.mT / Q.size(-1) ** 0.5
