"""What whoever starts the tests hands down, and could change what they see: put right before anything is started."""

import atexit
import os
import shutil
import signal
import sys
import tempfile
import warnings

RESTORED = (signal.SIGPIPE, getattr(signal, "SIGXFSZ", None))  # which Python ignores, and every child hears again
NAMES = (
    "BASH_ENV", "CDPATH", "COLUMNS", "ENV", "GITHUB_ACTIONS", "GITHUB_OUTPUT", "GLIBC_TUNABLES", "LANG", "LANGUAGE",
    "LINES", "NO_COLOR", "PAGER", "TERM",
)  # fmt: skip
PREFIXES = (
    "CLICOLOR", "FORCE_COLOR", "IPYTHON", "JUPYTER", "KATA_", "LC_", "MALLOC_", "MKL_", "NBGRADER", "OMP_", "OPENBLAS",
    "PYTHON", "TORCH", "TTY_",
)  # fmt: skip


def put_right() -> None:
    """No signal is ignored or blocked, no variable speaks of terminals, languages or Python, and files are open."""
    hear_signals()
    os.umask(0o022)
    for name in list(os.environ):
        if name != "PYTHONPATH" and (name in NAMES or name.startswith(PREFIXES)):
            del os.environ[name]
    os.environ["LANG"] = "C.UTF-8"
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"  # each core has a process of these tests, and small tensors are no work to share
    _no_settings_of_jupyter()


def hear_signals() -> None:
    """As from a terminal: a shell's job in the background ignores SIGINT, `nohup` SIGHUP, and so would all they start.

    A signal that is ignored stays so in what is started; one that has a handler is as by default there.
    """
    for number in signal.valid_signals():
        if signal.getsignal(number) is signal.SIG_IGN and number not in RESTORED:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_SETMASK, ())


def warn_as_usual() -> None:
    """Whatever PYTHONWARNINGS says; to be called when pytest has read its own settings."""
    sys.warnoptions.clear()
    warnings.resetwarnings()


def _no_settings_of_jupyter() -> None:
    """Those of whoever runs the tests are not those of a course."""
    folder = tempfile.mkdtemp(prefix="kata-jupyter-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        os.environ[name] = os.path.join(folder, name.lower())
