"""How many small changes to the code that decides about grades the tests notice.

    python benchmarks/mutants.py [--list] [MODULE ...]

Each mutant changes one comparison, operator, constant, condition, slice, returned value, keyword argument or
statement.  It is tried in a fork of a process that has imported everything and run the tests once: code objects are
exchanged in place, and the tests that ran the changed lines are run until one fails.  Mutants that cannot change what
the module does are listed in equivalent_mutants.toml with the reason; an entry that fits no mutant is an error.
Needs an operating system that forks.
"""

import argparse
import ast
import contextlib
import copy
import dataclasses
import importlib
import io
import os
import signal
import subprocess
import sys
import threading
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType

import pytest
from _pytest.runner import runtestprotocol

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "grader" / "attention_kata"
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.toml")
MODULES = (
    *(f"judge/{name}.py" for name in ("compare", "trace", "recognise", "relations", "numbers", "words", "diagnose")),
    *(f"judge/{name}.py" for name in ("score", "grading", "evidence")),
    "sandbox/reader.py",
    "gradebook/late.py",
    "intake/roster.py",
)
TESTS = (
    *("compare", "trace", "recognise", "relations", "numbers", "words", "diagnose", "score", "grading", "evidence"),
    *("reader", "late", "roster"),
)
SECONDS = 20  # until a mutant that does not end counts as killed
LEAST = 0.9  # of a module's mutants to be killed

OPPOSITE = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
OPERATOR = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
UNTOUCHED = (ast.Import, ast.ImportFrom, ast.Assert)  # assertions are for mypy: what they say always holds
PARTS_UNTOUCHED = ("annotation", "returns", "decorator_list", "keywords of a class", "bases")


@dataclass(frozen=True)
class Mutant:
    """One change: at `holder.field[index]`, `node` becomes `new`.  `owner` is the statement of the module it is in."""

    module: str
    scope: tuple[str, ...]  # names that lead to the function; () outside of functions
    owner: ast.stmt
    lines: range
    before: str
    after: str
    holder: ast.AST
    field: str
    index: int | None
    new: ast.AST

    def __str__(self) -> str:
        where = ".".join(self.scope) or getattr(self.owner, "name", "the module")
        return f"{self.module}:{self.lines[0]} {where}: {self.before}  ->  {self.after or 'nothing'}"

    def change(self) -> None:
        """Change the tree that it was made from."""
        if self.index is None:
            setattr(self.holder, self.field, self.new)
        else:
            getattr(self.holder, self.field)[self.index] = self.new


# ---------------------------------------------------------------------- making mutants


def changed(node: ast.AST) -> Iterator[ast.AST]:
    """What a node may become."""
    match node:
        case ast.Compare():
            for i, operator in enumerate(node.ops):
                for other in OPPOSITE[type(operator)]:
                    yield ast.Compare(node.left, [*node.ops[:i], other(), *node.ops[i + 1 :]], node.comparators)
        case ast.BoolOp():
            yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
        case ast.BinOp() if type(node.op) in OPERATOR:
            yield ast.BinOp(node.left, OPERATOR[type(node.op)](), node.right)
        case ast.AugAssign() if type(node.op) in OPERATOR:
            yield ast.AugAssign(node.target, OPERATOR[type(node.op)](), node.value)
            yield ast.Pass()
        case ast.UnaryOp():
            yield node.operand
        case ast.Constant(value=bool()):
            yield ast.Constant(not node.value)
        case ast.Constant(value=int() | float()):
            yield ast.Constant(node.value + 1 if node.value + 1 != node.value else node.value * 2)
        case ast.Constant(value=str() | bytes()):
            yield ast.Constant(node.value + ("X" if isinstance(node.value, str) else b"X"))
        case ast.IfExp() | ast.If() | ast.While():
            if not isinstance(node.test, ast.Compare | ast.UnaryOp):  # those are turned round by themselves
                other = copy.copy(node)
                other.test = ast.UnaryOp(ast.Not(), node.test)
                yield other
        case ast.comprehension() if node.ifs:
            yield ast.comprehension(node.target, node.iter, [], node.is_async)
        case ast.Call():
            for i, keyword in enumerate(node.keywords):
                if keyword.arg is not None:
                    yield ast.Call(node.func, node.args, node.keywords[:i] + node.keywords[i + 1 :])
        case ast.Slice():
            for bound in ("lower", "upper"):
                if getattr(node, bound) is not None:
                    yield ast.Slice(**{"lower": node.lower, "upper": node.upper, "step": node.step, bound: None})
        case ast.Return() if not (
            node.value is None or (isinstance(node.value, ast.Constant) and not node.value.value)
        ):
            yield ast.Return(ast.Constant(None))
        case ast.Expr() | ast.Raise() | ast.Delete():
            yield ast.Pass()
        case ast.Continue():
            yield ast.Break()


def mutants_of(module: str, tree: ast.Module) -> Iterator[Mutant]:
    """All mutants of a module, in the order of its lines."""

    def walk(node: ast.AST, scope: tuple[str, ...], inside: bool, owner: ast.stmt, lines: range) -> Iterator[Mutant]:
        for field, value in ast.iter_fields(node):
            if field in PARTS_UNTOUCHED or (field == "keywords" and isinstance(node, ast.ClassDef)):
                continue
            several = isinstance(value, list)
            for index, child in enumerate(value if several else [value]):
                if (
                    not isinstance(child, ast.AST)
                    or isinstance(child, UNTOUCHED)
                    or _is_docstring(node, field, index if several else None)
                ):
                    continue
                own, within = scope, inside
                if not inside and isinstance(child, ast.ClassDef | ast.FunctionDef):
                    own, within = (*scope, child.name), isinstance(child, ast.FunctionDef)
                span = range(child.lineno, _head_end(child) + 1) if isinstance(child, ast.stmt) else lines
                top = child if isinstance(node, ast.Module) else owner
                for new in changed(child):
                    place = own if within else ()
                    before, after = map(_shown, (child, new))
                    at = (node, field, index if several else None)
                    yield Mutant(module, place, top, span, before, after, *at, new)
                yield from walk(child, own, within, top, span)

    yield from walk(tree, (), False, tree.body[0], range(1, 2))


def _is_docstring(node: ast.AST, field: str, index: int | None) -> bool:
    each = getattr(node, field)[index] if field == "body" and index is not None else None
    return isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)


def _head_end(statement: ast.stmt) -> int:
    """The last line of a statement, without those of its body; of a function all, since its defaults are used there."""
    if isinstance(statement, ast.FunctionDef):
        return statement.end_lineno or statement.lineno
    body = getattr(statement, "body", None)
    return max(statement.lineno, body[0].lineno - 1) if body else statement.end_lineno or statement.lineno


def _shown(node: ast.AST) -> str:
    """Its source; of a compound statement the head; "" for nothing."""
    text = ast.unparse(ast.fix_missing_locations(copy.deepcopy(node)))
    return text.split("\n", 1)[0] if isinstance(node, ast.If | ast.While) else text if text != "pass" else ""


def all_mutants(modules: Iterable[str] = MODULES) -> list[Mutant]:
    return [each for name in modules for each in mutants_of(name, ast.parse((PACKAGE / name).read_text("utf-8")))]


def fits(entry: Mapping[str, str], mutant: Mutant) -> bool:
    """Whether an entry of the list of equivalent mutants is about this one; `after` and `in` may be left out."""
    its = {"module": mutant.module, "before": mutant.before, "after": mutant.after, "in": ".".join(mutant.scope)}
    return all(entry.get(name, value) == value for name, value in its.items())


def listed() -> list[dict[str, str]]:
    """The list of equivalent mutants.  ValueError for an entry without a reason, or that fits no mutant."""
    entries: list[dict[str, str]] = tomllib.loads(EQUIVALENT.read_text("utf-8"))["mutant"]
    mutants = all_mutants()
    for entry in entries:
        if not entry.get("why"):
            raise ValueError(f"{EQUIVALENT.name}: why is {entry} equivalent?")
        if not any(fits(entry, mutant) for mutant in mutants):
            raise ValueError(f"{EQUIVALENT.name}: no mutant is {entry}")
    return entries


# ---------------------------------------------------------------------- putting one in place


def put_in_place(mutant: Mutant, tree: ast.Module) -> None:
    """Change the imported module as if it had been written so.  In a process that is thrown away."""
    module = imported(mutant.module)
    mutant.change()
    ast.fix_missing_locations(tree)
    if not mutant.scope:
        run_again(mutant.owner, module)
        return
    live = function_at(module, mutant.scope)
    code = compile(tree, module.__file__, "exec")
    live.__code__ = code_named(code, ".".join(mutant.scope))
    definition = next(n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == mutant.scope[-1]
                      and n.lineno == live.__code__.co_firstlineno + len(n.decorator_list))  # fmt: skip
    bare = ast.FunctionDef(definition.name, definition.args, definition.body, [], None)
    names = dict(vars(module))
    exec(compile(ast.fix_missing_locations(ast.Module([bare], [])), module.__file__, "exec"), names)
    live.__defaults__, live.__kwdefaults__ = names[bare.name].__defaults__, names[bare.name].__kwdefaults__
    for value in vars(module).values():
        if hasattr(value, "cache_clear"):
            value.cache_clear()


def run_again(statement: ast.stmt, module) -> None:
    """Run one statement of a module once more, and give what it defines to all that have imported it."""
    names = dict(vars(module))
    exec(compile(ast.Module([statement], []), module.__file__, "exec"), names)
    for name, new in names.items():
        old = vars(module).get(name)
        if new is old or name == "__builtins__":
            continue
        if isinstance(new, type) and dataclasses.is_dataclass(
            new
        ):  # a class may be kept anywhere: it is changed itself
            for attribute, value in vars(new).items():
                if attribute not in ("__dict__", "__weakref__", "__module__", "__doc__"):
                    setattr(old, attribute, value)
            continue
        for other in list(sys.modules.values()):
            if getattr(other, "__name__", "").startswith(("attention_kata", "test_")) and vars(other).get(name) is old:
                setattr(other, name, new)


def imported(module: str):
    return importlib.import_module(f"attention_kata.{module.removesuffix('.py').replace('/', '.')}")


def function_at(module, scope: tuple[str, ...]):
    found = module
    for name in scope:
        found = vars(found)[name]
        for inner in ("fget", "func", "__func__", "__wrapped__"):
            found = getattr(found, inner, found)
    return found


def code_named(code: CodeType, name: str) -> CodeType:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            if constant.co_qualname == name:
                return constant
            if name.startswith(f"{constant.co_qualname}."):
                return code_named(constant, name)
    raise LookupError(name)


# ---------------------------------------------------------------------- trying them


class Trial:
    """A plugin of pytest: the tests once as they are, each with the lines it runs; then the mutants."""

    def __init__(self, modules: list[str], equivalent: list[dict[str, str]]):
        self.sources = {module: PACKAGE / module for module in modules}
        self.files = {str(path): module for module, path in self.sources.items()}
        self.equivalent, self.lines = equivalent, defaultdict(set)
        self.seconds: dict[str, float] = {}
        self.fates: dict[Mutant, str] = {}
        self.tracing: str | None = None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        if self.tracing is None:
            return (yield)
        sys.settrace(self._trace)
        threading.settrace(self._trace)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            threading.settrace(None)

    def _trace(self, frame, event, argument):
        module = self.files.get(frame.f_code.co_filename)
        if module is None:
            return None
        test = self.tracing
        self.lines[module, frame.f_lineno].add(test)
        self.lines[module, 0].add(test)

        def lines(frame, event, argument):
            self.lines[module, frame.f_lineno].add(test)
            return lines

        return lines

    def pytest_runtestloop(self, session):
        self.items = {item.nodeid: item for item in session.items}
        for name in self.items:
            begun, self.tracing = time.monotonic(), name
            failed = self._failed(name)
            self.seconds[name] = time.monotonic() - begun
            if failed:
                raise pytest.UsageError(f"{name} fails without any change:\n{failed}")
        self.tracing = None
        for module, path in self.sources.items():
            tree = ast.parse(path.read_text("utf-8"))
            alone = {}
            for number, mutant in enumerate(mutants_of(module, tree)):
                if any(fits(entry, mutant) for entry in self.equivalent):
                    self.fates[mutant] = "equivalent"
                    continue
                tests = self._tests_of(mutant)
                if not mutant.scope and mutant.owner not in alone:  # does running it again change anything by itself?
                    alone[mutant.owner] = self._fate(None, mutant, tree, tests)
                if not mutant.scope and alone[mutant.owner] != "survived":
                    self.fates[mutant] = fate_alone(module, number)
                else:
                    self.fates[mutant] = self._fate(mutant, mutant, tree, tests)
                if self.fates[mutant] == "survived":
                    tell(f"survived: {mutant} ({len(tests)} tests)")
            tell(row(module, [fate for each, fate in self.fates.items() if each.module == module]))
        return True

    def _tests_of(self, mutant: Mutant) -> list[str]:
        """The tests that run its lines, the quickest first; outside of functions, those that know the module."""
        lines = mutant.lines if mutant.scope else range(1)
        tests = set().union(*(self.lines[mutant.module, line] for line in lines))
        if not mutant.scope:
            tests |= {name for name, item in self.items.items() if item.path.stem == f"test_{Path(mutant.module).stem}"}
        return sorted(tests, key=self.seconds.__getitem__)

    def _failed(self, name: str) -> str:
        """What a test that fails says; "" for one that passes."""
        item = self.items[name]
        reports = runtestprotocol(item, log=False, nextitem=item.session)  # fixtures of the session stay as they are
        return next((report.longreprtext or "it failed" for report in reports if report.failed), "")

    def _fate(self, change: Mutant | None, mutant: Mutant, tree: ast.Module, tests: list[str]) -> str:
        child = os.fork()
        if child == 0:
            end = 2
            try:
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, 1)
                os.dup2(nowhere, 2)
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
                signal.alarm(SECONDS)
                try:
                    if change is not None:
                        put_in_place(change, tree)
                    else:
                        run_again(mutant.owner, imported(mutant.module))
                except Exception:  # the module could not even be imported
                    os._exit(1)
                end = int(any(self._failed(name) for name in tests))
            finally:
                os._exit(end)
        _, status = os.waitpid(child, 0)
        return "survived" if os.waitstatus_to_exitcode(status) == 0 else "killed"


def fate_alone(module: str, number: int) -> str:
    """Of a mutant in a class that others were made from: in a Python of its own, by the tests of the module."""
    command = [sys.executable, __file__, "--alone", str(number), module]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=10 * SECONDS)
    return "killed" if done.returncode else "survived"


def run_alone(module: str, number: int) -> int:
    """The exit code of the tests of a module that is imported as if it had been written so."""
    path = str(PACKAGE / module)
    tree = ast.parse(Path(path).read_text("utf-8"))
    next(each for i, each in enumerate(mutants_of(module, tree)) if i == number).change()
    code, real = compile(ast.fix_missing_locations(tree), path, "exec"), SourceFileLoader.get_code
    SourceFileLoader.get_code = lambda self, name: code if self.path == path else real(self, name)
    return pytest.main([str(ROOT / "tests" / f"test_{Path(module).stem}.py"), "-n0", "-qx", "-p", "no:cacheprovider"])


def tell(line: str) -> None:
    print(line, file=sys.__stdout__, flush=True)


def row(name: str, fates: list[str]) -> str:
    count = Counter(fates)
    judged = count["killed"] + count["survived"]
    rate = count["killed"] / judged if judged else 1.0
    return (
        f"{name:24}{len(fates):>6} mutants{count['killed']:>6} killed{count['survived']:>5} survived"
        f"{count['equivalent']:>4} equivalent{rate:>8.1%}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="print the mutants and try none")
    parser.add_argument("--alone", type=int, help=argparse.SUPPRESS)
    parser.add_argument("modules", nargs="*", metavar="MODULE", help=f"of {', '.join(MODULES)}")
    asked = parser.parse_args()
    modules = asked.modules or list(MODULES)
    if asked.list:
        print(*all_mutants(modules), sep="\n")
        return 0
    if asked.alone is not None:
        return run_alone(modules[0], asked.alone)
    trial = Trial(modules, listed())
    begun = time.monotonic()
    files = [str(path) for name in TESTS if (path := ROOT / "tests" / f"test_{name}.py").exists()]
    for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[threads] = "1"  # before numpy is imported: what is forked has one thread
    import hypothesis

    # A failing example need not be made small: that it fails is enough.
    phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
    hypothesis.settings.register_profile("mutants", database=None, phases=phases, derandomize=True, deadline=None)
    hypothesis.settings.load_profile("mutants")
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        code = pytest.main([*files, "-n0", "-p", "no:cacheprovider", "-q"], plugins=[trial])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED) or not trial.fates:
        tell(said.getvalue())
        return 2
    tell(row("all", list(trial.fates.values())))
    tell(f"{len(trial.items)} tests, {time.monotonic() - begun:.0f} s")
    rates = defaultdict(list)
    for mutant, fate in trial.fates.items():
        if fate != "equivalent":
            rates[mutant.module].append(fate == "killed")
    low = [module for module, killed in rates.items() if sum(killed) < LEAST * len(killed)]
    if low:
        tell(f"less than {LEAST:.0%} of the mutants killed: {', '.join(low)}")
    return 1 if low else 0


if __name__ == "__main__":
    raise SystemExit(main())
