"""The names under which courses of other people know attention_kata.key.model."""

from .key.model import *  # noqa: F403
