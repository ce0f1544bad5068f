"""Learn the Transformer's attention by writing it, with a grader that names the misconception."""

__version__ = "0.1.0"


def load_ipython_extension(shell: object) -> None:
    """For `%load_ext attention_kata` in a notebook."""
    from .notebook import register

    register(shell)
