"""autograder.zip: all that Gradescope needs to grade by itself, and no solution."""

from __future__ import annotations

import io
import re
import shlex
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path, PurePosixPath

from .. import __version__
from ..course.find import PACKAGE
from ..key.file import key_bytes, load_key
from ..key.model import AnswerKey
from .request import BadExport, Request

KEY = "key.safetensors"
SETUP = """\
#!/usr/bin/env bash
# Gradescope runs this once, when the image is built. It needs Python 3.11: choose Ubuntu 24.04 as the base image.
set -euo pipefail
source="${AUTOGRADER_ROOT:-/autograder}/source"
apt-get update
apt-get install -y --no-install-recommends python3 python3-venv
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
  echo "Python 3.11 or newer is needed: choose Ubuntu 24.04 as the base image." >&2
  exit 1
}
python3 -m venv /opt/attention-kata
/opt/attention-kata/bin/pip install --no-cache-dir --index-url https://download.pytorch.org/whl/cpu TORCH
/opt/attention-kata/bin/pip install --no-cache-dir INSTALL
chown -R root:root "$source"
chmod 700 "$source"
chmod 600 "$source/KEY"
"""
RUN = """\
#!/usr/bin/env bash
# Grades the submission and writes results/results.json: one without a score when grading itself fails.
root="${AUTOGRADER_ROOT:-/autograder}"
python="${KATA_PYTHON:-/opt/attention-kata/bin/python}"
result="$root/results/results.json"
cd /
rm -f "$result"
"$python" -P -m attention_kata.export.autograder "$root"
if [ ! -s "$result" ]; then
  mkdir -p "$root/results"
  said='{"output": "This could not be graded; that is not your fault.",'
  echo "$said"' "stdout_visibility": "hidden", "tests": []}' > "$result"
fi
"""
REQUIREMENT = re.compile(r"[A-Za-z0-9][\w.\-\[\], ~=<>!@:/+#]*", re.ASCII)
DATE = (2026, 1, 1, 0, 0, 0)


def autograder(request: Request) -> Iterator[bytes]:
    """The zip: setup.sh, run_autograder, the answer key, and this package or where to get it."""
    key = load_key(request.key) if request.key is not None else request.grades.key()
    if key is None:
        raise BadExport(f"{request.db} holds no answer key: name one with --key FILE")
    if key.seed is not None:
        request.say("this is a public key, whose answers everyone can read: draw one with `kata dev key --secret`")
    with tempfile.TemporaryDirectory() as folder:
        package = _package(request.package, Path(folder))
        files = {} if isinstance(package, str) else {package.name: package.read_bytes()}
    name = package if isinstance(package, str) else package.name
    yield _zip(key, name, files)


def _zip(key: AnswerKey, package: str, files: dict[str, bytes]) -> bytes:
    install = f'"$source"/{shlex.quote(package)}' if files else shlex.quote(package)
    torch = shlex.quote(f"torch=={key.torch.split('+')[0]}")
    setup = SETUP.replace("TORCH", torch).replace("INSTALL", install).replace("KEY", KEY)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        _add(archive, "setup.sh", setup.encode(), 0o755)
        _add(archive, "run_autograder", RUN.encode(), 0o755)
        _add(archive, KEY, key_bytes(key), 0o600)
        for name, data in files.items():
            _add(archive, name, data, 0o644)
    return buffer.getvalue()


def _add(archive: zipfile.ZipFile, name: str, data: bytes, mode: int) -> None:
    info = zipfile.ZipInfo(name, DATE)
    info.external_attr = (0o100000 | mode) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, data)


def _package(wanted: str, folder: Path) -> Path | str:
    """A wheel or sdist of this package, built into `folder` where it is a checkout, or a requirement line."""
    if wanted.endswith((".whl", ".tar.gz")):
        path = Path(wanted)
        if not path.is_file():
            raise BadExport(f"{path} does not exist: give --package a wheel, an sdist or a requirement line")
    elif wanted:
        if not REQUIREMENT.fullmatch(wanted):
            example = f"attention-kata=={__version__}"
            raise BadExport(f"--package {wanted!r} is not a requirement line: write one such as {example}")
        return wanted
    elif (PACKAGE.parent.parent / "pyproject.toml").is_file():
        path = _wheel(PACKAGE.parent.parent, folder)
    else:
        return f"attention-kata=={__version__}"
    if any("solutions" in PurePosixPath(name).parts for name in _names(path)):
        raise BadExport(f"{path} holds solutions: give --package a wheel that `python -m build` made")
    return path


def _wheel(checkout: Path, folder: Path) -> Path:
    """Build the learner's wheel of `checkout`, which needs the network or hatchling."""
    if find_spec("pip"):
        command = ["pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(checkout)]
    else:
        command = ["build", "--wheel", "--outdir", str(folder), str(checkout)]
    built = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, errors="replace")
    found = sorted(folder.glob("*.whl"))
    if built.returncode or not found:
        last = (built.stderr.strip().splitlines() or ["no reason was given"])[-1]
        raise BadExport(f"no wheel could be built ({last}): give one, or a requirement line, with --package")
    return found[0]


def _names(path: Path) -> list[str]:
    try:
        if path.suffix == ".whl":
            with zipfile.ZipFile(path) as wheel:
                return wheel.namelist()
        with tarfile.open(path) as sdist:
            return sdist.getnames()
    except (OSError, zipfile.BadZipFile, tarfile.TarError) as error:
        raise BadExport(f"{path} is neither a wheel nor an sdist: {error}") from None
