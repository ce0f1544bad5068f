"""Which part of the package imports which, read from the source: for the contract, and for the picture in the docs.

python tests/rooms.py draws that picture into docs/design.md.
"""

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "grader" / "attention_kata"
DESIGN = ROOT / "docs" / "design.md"
BEGIN, END = "```mermaid\n", "```\n"

# From the ground up: a room may import those above it in this list, and none below.
FLOORS = (
    ("__init__", "errors", "startup", "text", "worker", "messages"),
    ("files", "tables", "source", "sampling"),
    ("intake",),
    ("key",),
    ("authoring", "model"),
    ("sandbox",),
    ("judge",),
    ("course", "gradebook"),
    ("report", "export", "notebook"),
    ("nbgrader",),
    ("cli",),
    ("program",),
    ("__main__",),
)
LEAVES = ("__init__", "errors", "startup", "text", "files", "tables", "sampling")  # small modules that everybody uses
FACES = ("authoring", "model", "program", "__main__")


def room(path):
    """The package or top module that a file belongs to."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return parts[0]


def _modules(node, path):
    """Paths below the package of what an import statement of `path` names, as far as it is ours."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.name.startswith("attention_kata."):
                yield tuple(alias.name.split(".")[1:])
        return
    if node.level:
        base = path.relative_to(PACKAGE).with_suffix("").parts
        base = base[: len(base) - node.level]
    elif (node.module or "").split(".")[0] == "attention_kata":
        base = ()
    else:
        return
    module = base + tuple((node.module or "").removeprefix("attention_kata").strip(".").split("."))
    module = tuple(part for part in module if part)
    for alias in node.names:
        yield (*module, alias.name)


@cache
def imports():
    """(file, line, module below the package) of every import of ours, wherever in a file it stands."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import | ast.ImportFrom):
                found += [(path, node.lineno, module) for module in _modules(node, path)]
    return tuple(found)


def arrows():
    """room -> the rooms that it imports."""
    found = defaultdict(set)
    for path, _, module in imports():
        own, other = room(path), module[0] if _is_room(module[0]) else "__init__"
        if own != other:
            found[own].add(other)
    return dict(found)


def _is_room(name):
    return (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").is_file()


def rooms():
    return {room(path) for path in PACKAGE.rglob("*.py")}


def purposes():
    """room -> its docstring."""
    found = {}
    for name in rooms():
        path = PACKAGE / name / "__init__.py" if (PACKAGE / name).is_dir() else PACKAGE / f"{name}.py"
        found[name] = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return found


def picture():
    """Mermaid: the rooms, and an arrow for what each imports that it does not get through another one."""
    shown = {name: others - set(LEAVES) for name, others in arrows().items() if name not in (*LEAVES, *FACES)}
    shown = {name: others - set(FACES) for name, others in shown.items()}
    reach = {name: _reachable(name, shown) for name in shown}
    lines = ["flowchart TD"]
    for name in [name for floor in reversed(FLOORS) for name in floor if name not in (*LEAVES, *FACES)]:
        lines.append(f'    {name}["{name}/"]')
    for name, others in sorted(shown.items()):
        through = set().union(*(reach.get(other, set()) for other in others))
        lines += [f"    {name} --> {other}" for other in sorted(others - through)]
    return BEGIN + "\n".join(lines) + "\n" + END


def _reachable(name, shown):
    found, left = set(), list(shown.get(name, ()))
    while left:
        other = left.pop()
        if other not in found:
            found.add(other)
            left += shown.get(other, ())
    return found


def draw():
    text = DESIGN.read_text(encoding="utf-8")
    begin = text.index(BEGIN)
    end = text.index(END, begin + len(BEGIN)) + len(END)
    DESIGN.write_text(text[:begin] + picture() + text[end:], encoding="utf-8")


if __name__ == "__main__":
    draw()
