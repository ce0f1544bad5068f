# attempts: finding secrets in the environment that it was started with
# expect: attention_scores = error
# expect: points = 0
import os
import sys

NEEDED = {
    "PATH", "PYTHONPATH", "PYTHONUSERBASE", "HOME", "LANG", "LC_CTYPE", "PYTHONHASHSEED", "PYTHONUNBUFFERED",
    "PYTHONMALLOC",
    "GLIBC_TUNABLES", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "KMP_DUPLICATE_LIB_OK",
    "KMP_INIT_AT_FORK",
    "TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR",
}  # fmt: skip
secrets = {name: value for name, value in os.environ.items() if name not in NEEDED}
seed = [argument for argument in (*sys.argv, *sys.orig_argv) if "key" in argument or "seed" in argument]
if secrets or seed:
    print("found", sorted(secrets), seed)


def attention_scores(Q, K):
    assert secrets or seed, "nothing to tell"
    return Q @ K.mT / Q.size(-1) ** 0.5
