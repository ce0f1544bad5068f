"""An answer cell: the stub, with the reference between nbgrader's solution markers.

For learners nbgrader puts `raise NotImplementedError()` in the place of everything between the markers.
"""

from __future__ import annotations

import ast
import symtable
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
Function = ast.FunctionDef
Definition = ast.FunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Answer:
    """The prompt and the answer cell of one exercise, and the imports that reference and stub need."""

    prompt: str
    cell: str
    imports: tuple[str, ...]


class Text:
    """A module as text and as a tree."""

    def __init__(self, source: str):
        self.lines, self.tree = source.split("\n"), ast.parse(source)

    @property
    def docstring(self) -> str:
        return ast.get_docstring(self.tree) or ""

    def find(self, name: str) -> Definition | None:
        found = [node for node in self.tree.body if isinstance(node, Definition) and node.name == name]
        return found[-1] if found else None

    def of(self, *nodes: ast.stmt) -> list[str]:
        """The lines of statements that follow each other, with the comments behind them, without their indent."""
        lines = self.lines[_first_line(nodes[0]) - 1 : nodes[-1].end_lineno]
        return textwrap.dedent("\n".join(lines)).split("\n")

    def imports(self, names: set[str] | None = None) -> Iterator[str]:
        """A line for each name that is imported: those in `names`, or all."""
        for node in self.tree.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                for alias in node.names:
                    bound = (alias.asname or alias.name).split(".")[0]
                    if names is None or bound in names:
                        yield ast.unparse(_one(node, alias))


def answer(stub: Text, solutions: Text, name: str) -> Answer:
    """Signatures of `stub`, bodies of the reference in `solutions`."""
    node, reference = stub.find(name), solutions.find(name)
    if node is None or reference is None or type(node) is not type(reference):
        raise ValueError(f"{name} is not defined as a function or class of that name")
    needed = list(_needed(solutions, reference))
    helpers = [solutions.of(each) for each in needed]
    used = _globals(solutions.of(reference)).union(*map(_globals, helpers))
    if isinstance(node, Function):
        assert isinstance(reference, Function)
        cell = _with_body(stub, node, solutions.of(*_body(reference)), helpers, drop_docstring=True)
    else:
        cell = _class(stub, node, solutions, reference, helpers)
    imports = (*stub.imports(), *solutions.imports(used))
    return Answer(ast.get_docstring(node) or "", "\n".join(cell), tuple(dict.fromkeys(imports)))


def _class(
    stub: Text, node: ast.ClassDef, solutions: Text, reference: Definition, helpers: list[list[str]]
) -> list[str]:
    """The methods of the stub; what else the reference has and needs stands behind the last, inside its markers."""
    methods = [each for each in node.body if isinstance(each, Function)]
    wanted = {method.name for method in methods}
    own = {each.name: each for each in ast.iter_child_nodes(reference) if isinstance(each, Function)}
    inside = node.body[0].col_offset
    rest = [_indented(solutions.of(each), inside) for name, each in own.items() if name not in wanted]
    cell = stub.lines[_first_line(node) - 1 : node.body[0].lineno - 1]
    for number, method in enumerate(methods):
        last = number == len(methods) - 1
        body = solutions.of(*_body(own[method.name]))
        cell += [
            *([""] if number else []),
            *_with_body(stub, method, body, [*rest, *helpers] if last else [], drop_docstring=False),
        ]
    return cell


def _with_body(
    stub: Text, node: Function, body: Sequence[str], more: Sequence[Sequence[str]], *, drop_docstring: bool
) -> list[str]:
    """A function of the stub with `body` in the place of its last statement, which raises; then `more` definitions."""
    first = _body(node)[0] if drop_docstring else node.body[0]
    last = node.body[-1]
    head = stub.lines[_first_line(node) - 1 : node.body[0].lineno - 1]
    kept = head + stub.lines[first.lineno - 1 : last.lineno - 1]
    said = {line.strip() for line in kept if line.strip().startswith("super()")}
    lines = [line for line in body if line.strip() not in said]
    cell = [*kept, *_indented([BEGIN, *lines], last.col_offset)]
    for definition in more:
        cell += ["", *definition]
    return [*cell, *_indented([END], last.col_offset)]


def _body(node: Function) -> list[ast.stmt]:
    """The statements of a function, without its docstring."""
    return node.body[1:] if ast.get_docstring(node) is not None and len(node.body) > 1 else node.body


def _needed(module: Text, reference: Definition) -> Iterator[ast.stmt]:
    """Helpers and constants of the module that the reference uses, those that these use first."""
    known = {node.name for node in module.tree.body if isinstance(node, Definition) and node.name[0] != "_"}

    def of(node: ast.stmt) -> Iterator[ast.stmt]:
        names = _globals(module.of(node)) - known
        for each in module.tree.body:
            if each is not node and _bound(each) & names - known:
                known.update(_bound(each))
                yield from of(each)
                yield each

    return of(reference)


def _globals(lines: Sequence[str]) -> set[str]:
    """The names of the module that a piece of it looks up."""

    def of(table: symtable.SymbolTable) -> Iterator[str]:
        for symbol in table.get_symbols():
            if symbol.is_global() or (table.get_type() == "module" and symbol.is_referenced()):
                yield symbol.get_name()
        for child in table.get_children():
            yield from of(child)

    return set(of(symtable.symtable("\n".join(lines), "solutions", "exec")))


def _bound(node: ast.stmt) -> set[str]:
    """The names that a statement of the module defines; imports are seen to elsewhere."""
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Assign(targets=targets):
            return {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}
    return set()


def _one(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> ast.stmt:
    """An import of one name alone."""
    return ast.Import([alias]) if isinstance(node, ast.Import) else ast.ImportFrom(node.module, [alias], node.level)


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _indented(lines: Sequence[str], columns: int) -> list[str]:
    return [" " * columns + line if line else "" for line in lines]
