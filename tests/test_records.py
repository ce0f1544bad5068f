"""How records are made: a long one by keywords, so that no two of its values can change places unseen."""

import dataclasses
import importlib
import pkgutil

import pytest

import attention_kata

MAX_POSITIONAL = 5


@pytest.mark.parametrize("room", ["gradebook", "intake", "export"])
def test_a_record_of_many_fields_is_made_by_keywords(room):
    package = importlib.import_module(f"{attention_kata.__name__}.{room}")
    names = [module.name for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
    modules = [package, *map(importlib.import_module, names)]
    records = {value for module in modules for value in vars(module).values() if dataclasses.is_dataclass(value)}
    own = {record for record in records if record.__module__.startswith(package.__name__)}
    by_place = {
        record.__name__: [field.name for field in dataclasses.fields(record) if field.init and not field.kw_only]
        for record in own
        if len(dataclasses.fields(record)) > MAX_POSITIONAL
    }
    assert len(by_place) >= 2
    assert {name: fields for name, fields in by_place.items() if fields} == {
        **({"Submission": ["name", "files"]} if room == "intake" else {})  # these two say themselves which is which
    }
