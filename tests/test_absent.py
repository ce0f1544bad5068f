"""Why a name is missing, read in the source."""

import pytest

from attention_kata.source.absent import Absent, Why, absent
from attention_kata.source.names import Sources


def why(source, wanted="function", others=()):
    return absent(Sources({"topic.py": source}), "topic.py", "split_heads", wanted, others)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("def split_heads(x):\n    return x\n", None),
        ("split_heads = lambda x: x\n", None),
        ("from lib import split_heads\n", None),
        ("from lib import *\n", None),
        ("def split_heads(x:\n", None),
        ("import torch\n", Absent(Why.UNWRITTEN)),
        ("def merge_heads(x):\n    return x\n", Absent(Why.UNWRITTEN)),
        ("\ndef splitHeads(x):\n    return x\n", Absent(Why.MISSPELLED, "splitHeads", 2)),
        ("def split_head(x):\n    return x\n", Absent(Why.MISSPELLED, "split_head", 1)),
        ("splitheads = 3\n", Absent(Why.UNWRITTEN)),
        ("class Mine:\n    def split_heads(x):\n        return x\n", Absent(Why.INSIDE, "Mine", 2)),
        ("def f():\n    def split_heads(x):\n        return x\n", Absent(Why.INSIDE, "f", 2)),
        ("class split_heads:\n    pass\n", Absent(Why.CLASS, "", 1)),
        ("@torch.jit.script\nclass split_heads:\n    pass\n", None),
        ("if True:\n    class split_heads:\n        pass\nelse:\n    split_heads = 2\n", None),
    ],
)
def test_what_is_there_in_place_of_a_function(source, found):
    assert why(source) == found


def test_what_is_there_in_place_of_a_class():
    assert why("def split_heads(x):\n    return x\n", "class") == Absent(Why.FUNCTION, "", 1)
    assert why("class split_heads:\n    pass\n", "class") is None


def test_the_innermost_holder_is_told():
    nested = "class A:\n    class B:\n        def split_heads(x):\n            return x\n"
    assert why(nested).name == "B"


def test_the_name_of_another_exercise_is_not_a_misspelling():
    source = "def split_head(x):\n    return x\n"
    assert why(source, others={"split_head"}) == Absent(Why.UNWRITTEN)


def test_the_nearest_name_is_meant():
    source = "def split_head(x): pass\ndef splitt_heads(x): pass\n"
    assert why(source).name == "splitt_heads"


def test_a_file_that_is_not_there_tells_nothing():
    assert absent(Sources({}), "topic.py", "split_heads", "function") is None
