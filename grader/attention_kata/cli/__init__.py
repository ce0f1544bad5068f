"""The program `kata`.  Nothing here imports torch; numpy only where a command needs it.

Imported by the program's start alone.
"""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

import rich_click as click

from .. import __version__
from ..errors import KataError
from ..text import visible
from .book import adjust, due
from .dev import dev
from .doctor import doctor
from .export import export
from .grade import grade
from .learn import check, hint, init, list_exercises, reset
from .regrade import regrade
from .release import release
from .report import feedback, report
from .similarity import similarity

if TYPE_CHECKING:
    from ..sandbox.zygote import ZygoteClient

click.rich_click.TEXT_MARKUP = "markdown"
READER_GONE = 141  # as a shell tells of a program that SIGPIPE ended
GROUPS = {
    "Learning": (init, list_exercises, check, hint, reset),
    "Teaching": (release, grade, report, feedback, export, similarity, regrade, adjust, due, doctor),
    "Writing a course": (dev,),
}
click.rich_click.COMMAND_GROUPS = {
    "kata": [
        {"name": name, "commands": [str(command.name) for command in commands]} for name, commands in GROUPS.items()
    ]
}


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="kata")
def kata() -> None:
    """Write the Transformer's attention by hand, and learn which misconception made it go wrong.

    To begin: `kata init`, open `attention.py` in your editor, `kata check`.
    """


for commands in GROUPS.values():
    for command in commands:
        kata.add_command(command)


def main(zygote: ZygoteClient | None = None) -> None:
    """Run the program; exit code 0 all pass, 1 something fails, 2 usage or environment; KeyboardInterrupt for Ctrl-C.

    `zygote` is one that has been started already, for `kata check` and `kata grade`.
    """
    stdout = sys.stdout
    for stream in (stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # ✓ on a terminal that cannot show it is no reason to stop
    try:
        code = kata(prog_name="kata", standalone_mode=False, obj=zygote)  # given to Context.exit
        if sys.stdout is not None:
            sys.stdout.flush()
        sys.exit(code)
    except click.UsageError as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.ClickException, KataError) as error:
        said = error.format_message() if isinstance(error, click.ClickException) else str(error)
        click.echo(f"kata: {visible(said)}", err=True)
        sys.exit(2)
    except click.Abort as aborted:  # what click makes of KeyboardInterrupt
        cause = aborted.__context__
        raise KeyboardInterrupt(*(cause.args if isinstance(cause, KeyboardInterrupt) else ())) from None
    except SystemExit as ended:
        gone = sys.stdout is not stdout  # click puts another in its place where the reader went away
        sys.exit(READER_GONE if gone else ended.code)
    except BrokenPipeError:
        _give_up_unwritten()
        sys.exit(READER_GONE)
    except OSError as error:
        click.echo(f"kata: {visible(str(error.filename or 'the output'))}: {error.strerror or error}", err=True)
        _give_up_unwritten()
        sys.exit(2)


def _give_up_unwritten() -> None:
    """What cannot be written would be tried again at the end, told again, and change the exit code."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except OSError:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
