"""Mutants of right answers: the same code with one small change, as slips of the hand and of the mind make them.

Most are wrong, and the checks should say so; some are the same function in other words, and no input will ever tell.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType

OPPOSITE: Mapping[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
OPERATORS: Mapping[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add, ast.Div),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Mult,),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.BitAnd: (ast.BitOr, ast.BitXor),
    ast.BitOr: (ast.BitAnd,),
    ast.MatMult: (ast.Mult,),
}
RELATIVES = {  # methods and functions that are taken for each other
    "amax": ("amin", "mean", "sum"),
    "max": ("min",),
    "sum": ("mean", "amax", "cumsum"),
    "mean": ("sum",),
    "softmax": ("log_softmax", "sigmoid"),
    "exp": ("exp2", "expm1"),
    "sqrt": ("abs", "log"),
    "tril": ("triu",),
    "triu": ("tril",),
    "any": ("all",),
    "all": ("any",),
    "cat": ("stack",),
    "stack": ("cat",),
    "reshape": ("view",),
    "view": ("reshape",),
    "repeat": ("repeat_interleave",),
    "expand": ("repeat",),
    "masked_fill": ("masked_fill_",),
    "mul": ("mul_",),
    "div": ("div_",),
    "transpose": ("swapaxes",),
    "zeros": ("ones",),
    "ones": ("zeros",),
    "zeros_like": ("ones_like",),
    "maximum": ("minimum",),
    "chunk": ("split",),
    "logical_and": ("logical_or",),
}
NUMBERS = ("-1e4", "-100.0", "-1e9", "0.0", "1e-9")  # for what should be lower than every score
WRAPPED = (  # what is done to a value on its way, X
    "X.detach()",
    "X.float().to(X.dtype)",
    "X.half().to(X.dtype)",
    "X.to(torch.float32)",
    "X.cpu()",
    "X.abs()",
    "X.relu()",
    "X.round()",
    "X.clamp(-50.0, 50.0)",
    "X.clamp(max=1e4)",
    "X.clamp(min=-1e4)",
    "X.nan_to_num()",
    "X.tanh()",
    "X.mT",
    "X.flip(-1)",
    "X.roll(1, -1)",
    "X[..., :64]",
    "X[..., :32, :]",
    "X[..., :16]",
    "X[:1]",
    "X.squeeze()",
    "X.contiguous()",
    "X + 1e-6",
    "X + 1",
    "X * 2",
    "-X",
    "X.bool()",
    "X.add_(0)",
)
SHORTER = ("list(X)[:16]", "list(X)[:32]", "list(X)[:64]", "list(X)[1:]", "list(X)[:-1]")  # what a loop goes over


@dataclass(frozen=True)
class Mutant:
    """In `tree`, `node` at `holder.field[index]` becomes `change`: a node, a text where it is called X, or nothing."""

    tree: ast.Module
    holder: ast.AST
    field: str
    index: int | None
    node: ast.AST
    change: ast.AST | str | None

    @property
    def new(self) -> ast.AST | None:
        return _expression(self.change, self.node) if isinstance(self.change, str) else self.change

    def code(self) -> CodeType:
        """The changed module.  SyntaxError, TypeError or ValueError where no such module can be."""
        self._put(self.new or ast.Pass())
        try:
            return compile(ast.fix_missing_locations(self.tree), "<mutant>", "exec")
        finally:
            self._put(self.node)

    def _put(self, node: ast.AST) -> None:
        if self.index is None:
            setattr(self.holder, self.field, node)
        else:
            getattr(self.holder, self.field)[self.index] = node

    def __str__(self) -> str:
        after = "nothing" if (new := self.new) is None else _short(new)
        return f"line {getattr(self.node, 'lineno', 0)}: {_short(self.node)}  ->  {after}"


def mutants(tree: ast.Module, within: Sequence[ast.AST]) -> Iterator[Mutant]:
    """Every small change of a node below those in `within`, which are parts of `tree`."""
    for top in within:
        for holder, field, index, node in list(_places(top)):
            for new in _changes(node, holder, field):
                yield Mutant(tree, holder, field, index, node, new)


def _short(node: ast.AST) -> str:
    first = ast.unparse(ast.fix_missing_locations(copy.deepcopy(node))).split("\n")[0]
    return first if len(first) <= 100 else f"{first[:97]}..."


def _places(top: ast.AST) -> Iterator[tuple[ast.AST, str, int | None, ast.AST]]:
    """(holder, field, index, node) of everything that may change; annotations, defaults of names and texts may not."""
    for holder in ast.walk(top):
        for field, value in ast.iter_fields(holder):
            if field in ("annotation", "returns", "decorator_list", "bases", "args", "targets", "target") and not (
                field == "args" and isinstance(holder, ast.Call)
            ):
                continue
            if isinstance(value, ast.AST):
                yield holder, field, None, value
            elif isinstance(value, list):
                for index, node in enumerate(value):
                    if isinstance(node, ast.AST):
                        yield holder, field, index, node


def _changes(node: ast.AST, holder: ast.AST, field: str) -> Iterator[ast.AST | str | None]:
    match node:
        case ast.Compare(ops=[operator]):
            for other in OPPOSITE.get(type(operator), ()):
                yield ast.Compare(node.left, [other()], node.comparators)
        case ast.BinOp():
            for kind in OPERATORS.get(type(node.op), ()):
                yield ast.BinOp(node.left, kind(), node.right)
            if isinstance(node.op, ast.MatMult | ast.Sub | ast.Div):
                yield ast.BinOp(node.right, node.op, node.left)
            yield node.left
            yield node.right
        case ast.UnaryOp():
            yield node.operand
        case ast.Constant():
            yield from _constants(node.value)
        case ast.Name(id="inf"):
            yield from ("1e4", "1e9", "100.0")
        case ast.IfExp():
            yield node.body
            yield node.orelse
        case ast.Call():
            yield from _calls(node)
        case ast.Slice():
            for bound in ("lower", "upper"):
                if getattr(node, bound) is not None:
                    longer = copy.copy(node)
                    setattr(longer, bound, None)
                    yield longer
        case ast.If():
            yield from (ast.If(ast.Constant(value), node.body, node.orelse) for value in (True, False))
        case ast.Assign() | ast.AugAssign() | ast.Expr() if field == "body":
            if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
                yield None
        case ast.Tuple() if isinstance(node.ctx, ast.Load) and len(node.elts) == 2:
            yield ast.Tuple(node.elts[::-1], node.ctx)
    if isinstance(node, ast.expr) and _is_a_value(node, holder, field):
        yield from WRAPPED
    if isinstance(node, ast.expr) and isinstance(holder, ast.For | ast.comprehension) and field == "iter":
        yield from SHORTER


def _constants(value: object) -> Iterator[ast.expr | str]:
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield from (ast.Constant(other) for other in sorted({value + 1, value - 1, -value, 0, 64} - {value}))
    elif isinstance(value, float):
        yield from (ast.Constant(other) for other in (value * 2, value / 2, -value))
        if abs(value) > 100:
            yield from NUMBERS


def _calls(node: ast.Call) -> Iterator[ast.expr]:
    """Other arguments, none of them, another function."""
    if isinstance(node.func, ast.Attribute):
        yield node.func.value  # left out
        for other in RELATIVES.get(node.func.attr, ()):
            yield ast.Call(ast.Attribute(node.func.value, other, node.func.ctx), node.args, node.keywords)
    for i in range(len(node.keywords)):
        yield ast.Call(node.func, node.args, node.keywords[:i] + node.keywords[i + 1 :])
    if len(node.args) > 1:
        yield ast.Call(node.func, [node.args[1], node.args[0], *node.args[2:]], node.keywords)
        yield ast.Call(node.func, node.args[:-1], node.keywords)


def _is_a_value(node: ast.expr, holder: ast.AST, field: str) -> bool:
    """Whether a node may be a tensor that something is done to: a result, an operand or an argument."""
    if not isinstance(node, ast.Call | ast.BinOp | ast.Name | ast.Subscript | ast.Attribute | ast.UnaryOp):
        return False
    if isinstance(node, ast.Name | ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
        return False
    if isinstance(node, ast.Name) and node.id in ("torch", "F", "nn", "math", "self", "inf"):
        return False
    return (isinstance(holder, ast.BinOp | ast.Return | ast.Assign | ast.Lambda | ast.UnaryOp)) or (
        isinstance(holder, ast.Call) and field == "args"
    )


def _expression(text: str, node: ast.AST) -> ast.expr:
    """The expression in a text, with `node` in the place of X."""

    class Put(ast.NodeTransformer):
        def visit_Name(self, name: ast.Name) -> ast.AST:
            return node if name.id == "X" else name

    found = Put().visit(ast.parse(text, mode="eval")).body
    assert isinstance(found, ast.expr)
    return found
