"""Forbidden functions read in the source: found however they are named, and nobody accused who does not call them."""

import pytest
from conftest import RIGHT
from forge import EXERCISES

from attention_kata.source.forbidden import forbidden_use
from attention_kata.source.names import Sources

SOFTMAX = EXERCISES["softmax"].forbidden
FINISHED = EXERCISES["MultiHeadAttention"].forbidden
ANSWERS = RIGHT.parent


def use(source, exercise="softmax", forbidden=SOFTMAX, others=None):
    """What is found in a file `own.py`, beside others."""
    return forbidden_use(Sources({"own.py": source} | (others or {})), "own.py", exercise, forbidden)


def body(line, before="import torch\nimport torch.nn as nn\nimport torch.nn.functional as F"):
    """A softmax whose body is this line."""
    return f"{before}\n\n\ndef softmax(x, dim=-1):\n    {line}\n"


# ---------------------------------------------------------------------- found

WAYS = {
    "a function of torch": "return torch.softmax(x, dim)",
    "a method": "return x.softmax(dim)",
    "a method of a result": "return (x - x.amax(dim, keepdim=True)).softmax(dim)",
    "functional": "return F.softmax(x, dim=dim)",
    "functional in full": "return torch.nn.functional.softmax(x, dim=dim)",
    "another of the family": "return F.log_softmax(x, dim).exp()",
    "sparse": "return torch.sparse.softmax(x, dim)",
    "special": "return torch.special.softmax(x, dim)",
    "private": "return torch._softmax(x, dim, False)",
    "private and safe": "return torch._safe_softmax(x, dim)",
    "its own way back": "return torch._softmax_backward_data(x, x, dim, x.dtype)",
    "aten": "return torch.ops.aten.softmax.int(x, dim)",
    "aten, private": "return torch.ops.aten._softmax(x, dim, False)",
    "aten, overload": "return torch.ops.aten._log_softmax.default(x, dim, False).exp()",
    "C": "return torch._C._nn.gumbel_softmax(x)",
    "a class": "return nn.Softmax(dim=dim)(x)",
    "a class in full": "return torch.nn.modules.activation.Softmax(dim)(x)",
    "another class": "return nn.LogSoftmax(dim)(x).exp()",
    "a class of images": "return nn.Softmax2d()(x)",
    "softmin": "return nn.Softmin(dim)(-x)",
    "getattr": "return getattr(torch, 'softmax')(x, dim)",
    "getattr on a tensor": "return getattr(x, 'softmax')(dim)",
    "getattr, added": "return getattr(torch, 'soft' + 'max')(x, dim)",
    "getattr, added thrice": "return getattr(torch, 's' + 'oft' + 'max')(x, dim)",
    "getattr, side by side": "return getattr(torch, 'soft' 'max')(x, dim)",
    "getattr, formatted": "return getattr(torch, f'soft{\"max\"}')(x, dim)",
    "getattr, a name": "name = 'softmax'\n    return getattr(torch, name)(x, dim)",
    "getattr, two names": "one, two = 'soft', 'max'\n    return getattr(torch, one + two)(x, dim)",
    "getattr of builtins": "import builtins\n    return builtins.getattr(torch, 'softmax')(x, dim)",
    "getattr under another name": "g = getattr\n    return g(torch, 'softmax')(x, dim)",
    "getattr, partly": "from functools import partial\n    return partial(getattr, torch)('softmax')(x, dim)",
    "getattr, default": "return getattr(torch, 'softmax', None)(x, dim)",
    "__getattribute__": "return torch.__getattribute__('softmax')(x, dim)",
    "attrgetter": "import operator\n    return operator.attrgetter('nn.functional.softmax')(torch)(x, dim)",
    "attrgetter under another name": "from operator import attrgetter as a\n    return a('softmax')(torch)(x, dim)",
    "methodcaller": "import operator\n    return operator.methodcaller('softmax', dim)(x)",
    "vars": "return vars(torch)['softmax'](x, dim)",
    "vars under another name": "v = vars(torch)\n    return v['softmax'](x, dim)",
    "__dict__": "return torch.__dict__['softmax'](x, dim)",
    "__dict__, added": "return torch.__dict__['soft' + 'max'](x, dim)",
    "__dict__, get": "return torch.__dict__.get('softmax')(x, dim)",
    "__dict__, pop": "return dict(vars(torch)).pop('softmax')(x, dim)",
    "__import__": "return __import__('torch').softmax(x, dim)",
    "import_module": "import importlib\n    return importlib.import_module('torch.nn.functional').softmax(x, dim)",
    "sys.modules": "import sys\n    return sys.modules['torch'].softmax(x, dim)",
    "an import inside": "from torch import softmax as s\n    return s(x, dim)",
    "an import inside of a module": "import torch.nn.functional as G\n    return G.softmax(x, dim)",
    "another name for torch": "t = torch\n    return t.softmax(x, dim)",
    "another name for the function": "s = torch.softmax\n    return s(x, dim)",
    "self that is none": "self = torch\n    return self.softmax(x, dim)",
    "cls that is none": "cls = F\n    return cls.softmax(x, dim)",
    "a tensor's class": "return torch.Tensor.softmax(x, dim)",
    "the class of a tensor": "return type(x).softmax(x, dim)",
    "a lambda": "return (lambda y: torch.softmax(y, dim))(x)",
    "a list": "return [torch.softmax][0](x, dim)",
    "a function inside": "def inner(y):\n        return torch.softmax(y, dim)\n    return inner(x)",
    "a class inside": "class Inner:\n        def go(self, y):\n            return torch.softmax(y, dim)\n    return Inner().go(x)",
    "a comprehension": "return torch.stack([torch.softmax(row, -1) for row in x])",
    "a branch that is never taken": "if x is None:\n        return torch.softmax(x, dim)\n    return x",
    "eval": "return eval('torch.softmax(x, dim)')",
    "exec": "exec('y = torch.softmax(x, dim)')\n    return locals()['y']",
    "torch.jit": "return torch.jit.CompilationUnit('def f(x):\\n    return torch.softmax(x, -1)').f(x)",
    "vmap": "return torch.vmap(torch.softmax, (0, None))(x, dim)",
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_a_forbidden_function_is_found(way):
    assert use(body(WAYS[way])) is not None


PLACES = {
    "assigned": "import torch\nsoftmax = torch.softmax\n",
    "assigned with a type": "import torch\nsoftmax: object = torch.softmax\n",
    "assigned in a pair": "import torch\nsoftmax, other = torch.softmax, None\n",
    "assigned twice": "import torch\ndef softmax(x, dim=-1):\n    return x\nsoftmax = torch.softmax\n",
    "imported as itself": "from torch import softmax\n",
    "imported under the name": "from torch.nn.functional import log_softmax as softmax\n",
    "imported after a definition": "def softmax(x, dim=-1):\n    return x\nfrom torch import softmax\n",
    "star": "from torch import *\ndef softmax_(x):\n    pass\ndef attention(x):\n    return softmax(x, -1)\n",
    "partly": "import torch\nfrom functools import partial\nsoftmax = partial(torch.softmax, dim=-1)\n",
    "an object": "import torch\nsoftmax = torch.nn.Softmax(dim=-1)\n",
    "a default": "import torch\ndef softmax(x, dim=-1, f=torch.softmax):\n    return f(x, dim)\n",
    "a default torch": "import torch\ndef softmax(x, dim=-1, self=torch):\n    return self.softmax(x, dim)\n",
    "a decorator": "import torch\n@torch.softmax\ndef softmax(x, dim=-1):\n    return x\n",
    "an alias": "from torch import softmax as s\ndef softmax(x, dim=-1):\n    return s(x, dim)\n",
    "an alias of an alias": "from torch import softmax as s\nt = s\ndef softmax(x, dim=-1):\n    return t(x, dim)\n",
    "an alias of a module": "from torch.nn import functional as G\ndef softmax(x, dim=-1):\n    return G.softmax(x, dim)\n",
    "an alias of a class": "from torch.nn import Softmax as S\ndef softmax(x, dim=-1):\n    return S(dim)(x)\n",
    "a helper": "import torch\ndef helper(x):\n    return torch.softmax(x, -1)\ndef softmax(x, dim=-1):\n    return helper(x)\n",
    "a helper of a helper": "import torch\ndef a(x):\n    return torch.softmax(x, -1)\ndef b(x):\n    return a(x)\n"
    "def softmax(x, dim=-1):\n    return b(x)\n",
    "a helper below": "import torch\ndef softmax(x, dim=-1):\n    return helper(x)\ndef helper(x):\n    return torch.softmax(x, -1)\n",
    "a helper in a branch": "import torch\nif True:\n    def helper(x):\n        return torch.softmax(x, -1)\n"
    "def softmax(x, dim=-1):\n    return helper(x)\n",
    "a helper in a try": "try:\n    from torch import softmax as helper\nexcept ImportError:\n    helper = None\n"
    "def softmax(x, dim=-1):\n    return helper(x)\n",
    "a helper in a with": "import torch\nwith torch.no_grad():\n    helper = torch.softmax\ndef softmax(x, dim=-1):\n    return helper(x)\n",
    "a helper in a loop": "import torch\nfor helper in (torch.softmax,):\n    pass\ndef softmax(x, dim=-1):\n    return helper(x)\n",
    "a helper as walrus": "import torch\nprint(helper := torch.softmax)\ndef softmax(x, dim=-1):\n    return helper(x)\n",
    "a table": "import torch\nTABLE = {'max': torch.softmax}\ndef softmax(x, dim=-1):\n    return TABLE['max'](x, dim)\n",
    "a name": "import torch\nNAME = 'softmax'\ndef softmax(x, dim=-1):\n    return getattr(torch, NAME)(x, dim)\n",
    "a name in parts": "import torch\nA = 'soft'\nB = A + 'max'\ndef softmax(x, dim=-1):\n    return getattr(torch, B)(x, dim)\n",
    "another name for torch": "import torch\nt = torch\ndef softmax(x, dim=-1):\n    return t.softmax(x, dim)\n",
    "a method of a helper": "import torch\nclass A:\n    def go(self, x):\n        return torch.softmax(x, -1)\n"
    "def softmax(x, dim=-1):\n    return A().go(x)\n",
    "an object of a helper": "import torch\nclass A:\n    def __call__(self, x, dim=-1):\n        return torch.softmax(x, dim)\nsoftmax = A()\n",
    "a base class": "import torch\nclass A:\n    def __call__(self, x, dim=-1):\n        return torch.softmax(x, dim)\n"
    "class B(A):\n    pass\nsoftmax = B()\n",
    "a kind of tensor": "import torch\nclass A(torch.Tensor):\n    def go(self):\n        return self.softmax(-1)\n"
    "def softmax(x, dim=-1):\n    return x.as_subclass(A).go()\n",
    "put on a helper": "import torch\nclass A:\n    pass\nA.go = torch.softmax\ndef softmax(x, dim=-1):\n    return A.go(x, dim)\n",
    "a class with its name": "import torch\nclass A:\n    def softmax(self):\n        pass\ndef softmax(x, dim=-1):\n    return torch.softmax(x, dim)\n",
    "getattr under another name": "import torch\ng = getattr\ndef softmax(x, dim=-1):\n    return g(torch, 'softmax')(x, dim)\n",
}  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_a_forbidden_function_is_found_wherever_it_is_reached(place):
    exercise = "attention" if place == "star" else "softmax"
    assert use(PLACES[place], exercise) is not None


ATTENTION = {
    "the function": "return F.scaled_dot_product_attention(Q, K, V)",
    "the function of C": "return torch._C._nn.scaled_dot_product_attention(Q, K, V)",
    "the math of it": "return torch._scaled_dot_product_attention_math(Q, K, V)",
    "flash": "return torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(Q, K, V)",
    "efficient": "return torch._scaled_dot_product_efficient_attention(Q, K, V, None, False)",
    "the module": "return torch.nn.MultiheadAttention(8, 2)(Q, K, V)",
    "the module, imported": "from torch.nn import MultiheadAttention\n    return MultiheadAttention(8, 2)(Q, K, V)",
    "the module's function": "return F.multi_head_attention_forward(Q, K, V)",
    "native": "return torch._native_multi_head_attention(Q, K, V)",
    "a layer with it": "return torch.nn.TransformerEncoderLayer(8, 2)(Q)",
    "a model with it": "return torch.nn.Transformer(8, 2)(Q, K)",
    "getattr": "return getattr(F, 'scaled_dot_product_' + 'attention')(Q, K, V)",
}


@pytest.mark.parametrize("way", ATTENTION)
def test_attention_that_is_finished_is_found(way):
    source = (
        f"import torch\nimport torch.nn.functional as F\ndef attention(Q, K, V, mask=None):\n    {ATTENTION[way]}\n"
    )
    assert use(source, "attention", FINISHED) is not None


@pytest.mark.parametrize(
    "line", ["self.core = nn.MultiheadAttention(d_model, n_heads)", "self.core = self.make(nn.MultiheadAttention)"]
)
def test_a_module_that_holds_a_finished_one_is_found(line):
    source = f"from torch import nn\nclass MultiHeadAttention(nn.Module):\n    def __init__(self, d_model, n_heads):\n        {line}\n"
    assert use(source, "MultiHeadAttention", FINISHED) is not None


def test_a_class_that_is_built_on_a_finished_one_is_found():
    source = "from torch import nn\nclass MultiHeadAttention(nn.MultiheadAttention):\n    pass\n"
    assert use(source, "MultiHeadAttention", FINISHED) is not None


def test_the_first_use_is_told_with_its_line():
    found = use(body("y = torch.softmax(x, dim)\n    return y.softmax(dim)"))
    assert (found.name, found.line) == ("softmax", 7)


# ---------------------------------------------------------------------- not found

E = "torch.exp(x - x.amax(dim, keepdim=True))"
HONEST = {
    "a right answer": body(f"e = {E}\n    return e / e.sum(dim, keepdim=True)"),
    "its own recursion": body("return softmax(x.T, 0).T if dim == 0 else x"),
    "its own attribute": body("softmax.calls = 1\n    return x / softmax.calls"),
    "a comment": body("return x  # like torch.softmax(x, dim), F.softmax, nn.Softmax"),
    "a docstring": body('"""torch.softmax(x, dim) by hand; getattr(torch, \'softmax\') is not allowed."""\n    return x'),
    "a docstring beside getattr": body('"""softmax"""\n    return getattr(torch, "exp")(x)'),
    "the docstring of a helper": "def helper(x):\n    'softmax'\n    return x\ndef softmax(x, dim=-1):\n    return helper(x)\n",
    "a key beside getattr": body("parts = {'softmax': x}\n    return parts['softmax'] * getattr(torch, 'pi')"),
    "a message beside getattr": body("print('softmax')\n    return x * getattr(torch, 'pi')"),
    "a message": body("assert x.ndim, 'softmax'\n    print('softmax', f'softmax of {x}')\n    return x"),
    "a key": body("parts = {'softmax': x}\n    return parts['softmax']"),
    "a key that is asked for": body("parts = {'softmax': x}\n    return parts.get('softmax')"),
    "a variable": "import torch\ndef attention(x):\n    softmax = x.exp()\n    return softmax / softmax.sum()\n",
    "a variable, imported elsewhere": "from torch import softmax\ndef attention(x):\n    softmax = x.exp()\n    return softmax\n"
    "def masked_softmax(x):\n    return softmax(x, -1)\n",
    "an argument": "from torch import softmax\ndef attention(x, softmax=None):\n    return softmax(x)\n",
    "a keyword": body("return helper(x, softmax=True)"),
    "a setting": body("return x * config.softmax_scale"),
    "another exercise's use": "import torch\ndef softmax(x, dim=-1):\n    return x\n"
    "def masked_softmax(scores, mask):\n    return torch.softmax(scores, -1)\n",
    "another exercise's import": "from torch import softmax as finished\ndef softmax(x, dim=-1):\n    return x\n"
    "def masked_softmax(scores, mask):\n    return finished(scores, -1)\n",
    "another exercise's name": "import torch\ndef log_softmax(x, dim):\n    return x - x.logsumexp(dim, True)\n"
    "def softmax(x, dim=-1):\n    return log_softmax(x, dim).exp()\n",
    "a method of its own": "import torch\nclass A:\n    def softmax(self, x):\n        return x.exp()\n    def go(self, x):\n        return self.softmax(x)\n"
    "def softmax(x, dim=-1):\n    return A().go(x)\n",
    "a static method": "import torch\nclass A:\n    @staticmethod\n    def softmax(x):\n        return x.exp()\ndef softmax(x, dim=-1):\n    return A.softmax(x)\n",
    "a function kept in an attribute": "import torch\nclass A:\n    def __init__(self, f):\n        self.softmax = f\n    def go(self, x):\n        return self.softmax(x)\n"
    "def softmax(x, dim=-1):\n    return A(torch.exp).go(x)\n",
    "a module of its own": "import numerics\ndef softmax(x, dim=-1):\n    return numerics.softmax(x, dim)\n",
    "an import of its own": "from numerics import softmax as stable\ndef softmax(x, dim=-1):\n    return stable(x, dim)\n",
    "an import of its own by that name": "from numerics import log_softmax\ndef softmax(x, dim=-1):\n    return log_softmax(x, dim).exp()\n",
    "a try-out at the end": "import torch\ndef softmax(x, dim=-1):\n    return x\n\n"
    "if __name__ == '__main__':\n    print(softmax(torch.ones(2)), torch.softmax(torch.ones(2), 0))\n",
    "a try-out in the open": "import torch\ndef softmax(x, dim=-1):\n    return x\nprint(torch.softmax(torch.ones(2), 0))\n",
    "no such exercise": "import torch\nprint(torch.softmax(torch.ones(2), 0))\n",
    "nothing at all": "",
    "what does not parse": "def softmax(x:\n    return torch.softmax(x)\n",
    "a NUL": "torch.softmax\0",
}  # fmt: skip


@pytest.mark.parametrize("name", HONEST)
def test_who_does_not_call_it_is_not_accused(name):
    exercise = "attention" if "def attention" in HONEST[name] else "softmax"
    assert use(HONEST[name], exercise) is None


def test_where_nothing_is_forbidden_nothing_is_found():
    assert use(body("return torch.softmax(x, dim)"), forbidden=()) is None


def test_softmax_is_allowed_where_only_finished_attention_is_forbidden():
    source = "import torch\ndef attention(Q, K, V, mask=None):\n    return torch.softmax(Q @ K.mT, -1) @ V\n"
    assert use(source, "attention", FINISHED) is None


def test_own_methods_with_the_names_of_finished_ones_are_not_accused():
    source = (
        "from torch import nn\nclass Core(nn.Module):\n    def scaled_dot_product_attention(self, q, k, v):\n        return q\n"
        "    def forward(self, *args):\n        return self.scaled_dot_product_attention(*args)\n"
        "class MultiHeadAttention(nn.Module):\n    def __init__(self):\n        self.core = Core()\n"
        "    def forward(self, q, k, v):\n        return self.core.scaled_dot_product_attention(q, k, v)\n"
    )
    assert use(source, "MultiHeadAttention", FINISHED) is None


@pytest.mark.parametrize("exercise", [e for e in EXERCISES.values() if e.forbidden], ids=lambda e: e.name)
@pytest.mark.parametrize("answers", sorted(folder.name for folder in ANSWERS.iterdir()))
def test_a_right_answer_is_not_accused(answers, exercise):
    files = {
        path.relative_to(ANSWERS / answers).as_posix(): path.read_text() for path in (ANSWERS / answers).rglob("*.py")
    }
    assert forbidden_use(Sources(files), exercise.file, exercise.name, exercise.forbidden) is None


# ---------------------------------------------------------------------- in other files

LIB = "import torch\nimport torch.nn.functional as F\nG = torch.nn.functional\n\n\ndef finished(x, dim):\n    return torch.softmax(x, dim)\n"
OWN = "def softmax(x, dim):\n    return x.exp()\n\n\nclass Weights:\n    @staticmethod\n    def softmax(x):\n        return x.exp()\n"
ELSEWHERE = {
    "imported": "from lib import finished\ndef softmax(x, dim=-1):\n    return finished(x, dim)\n",
    "imported under the name": "from lib import finished as softmax\n",
    "imported inside": "def softmax(x, dim=-1):\n    from lib import finished\n    return finished(x, dim)\n",
    "of a module": "import lib\ndef softmax(x, dim=-1):\n    return lib.finished(x, dim)\n",
    "of a module under another name": "import lib as l\ndef softmax(x, dim=-1):\n    return l.finished(x, dim)\n",
    "of a module inside": "def softmax(x, dim=-1):\n    import lib\n    return lib.finished(x, dim)\n",
    "star": "from lib import *\ndef softmax(x, dim=-1):\n    return finished(x, dim)\n",
    "star of a star": "from again import *\ndef softmax(x, dim=-1):\n    return finished(x, dim)\n",
    "by way of another": "from again import other\ndef softmax(x, dim=-1):\n    return other(x, dim)\n",
    "in a folder": "from folder.lib import finished\ndef softmax(x, dim=-1):\n    return finished(x, dim)\n",
    "in a folder's module": "from folder import lib\ndef softmax(x, dim=-1):\n    return lib.finished(x, dim)\n",
    "in a folder in full": "import folder.lib\ndef softmax(x, dim=-1):\n    return folder.lib.finished(x, dim)\n",
    "in a package": "import package\ndef softmax(x, dim=-1):\n    return package.finished(x, dim)\n",
    "torch by way of a module": "import lib\ndef softmax(x, dim=-1):\n    return lib.torch.softmax(x, dim)\n",
    "torch's module by way of one": "import lib\ndef softmax(x, dim=-1):\n    return lib.F.softmax(x, dim)\n",
    "torch's module, imported from one": "from lib import G\ndef softmax(x, dim=-1):\n    return G.softmax(x, dim)\n",
    "our own": "from attention_kata.worker import observe\ndef softmax(x, dim=-1):\n    return observe.torch.softmax(x, dim)\n",
}  # fmt: skip
OTHERS = {
    "lib.py": LIB, "folder/lib.py": LIB, "package/__init__.py": "from .inside import finished\n", "package/inside.py": LIB,
    "again.py": "from lib import *\nfrom lib import finished as other\n",
}  # fmt: skip


@pytest.mark.parametrize("way", ELSEWHERE)
def test_a_forbidden_function_is_found_in_another_file(way):
    assert use(ELSEWHERE[way], others=OTHERS) is not None


HONEST_ELSEWHERE = {
    "imported": "from lib import softmax as stable\ndef softmax(x, dim=-1):\n    return stable(x, dim)\n",
    "imported as it is": "from lib import softmax\n",
    "of a module": "import lib\ndef softmax(x, dim=-1):\n    return lib.softmax(x, dim)\n",
    "of a module inside": "def softmax(x, dim=-1):\n    import lib\n    return lib.softmax(x, dim)\n",
    "star": "from lib import *\ndef log_softmax(x, dim=-1):\n    return softmax(x, dim).log()\n",
    "a class": "from lib import Weights\ndef softmax(x, dim=-1):\n    return Weights.softmax(x)\n",
    "an object": "from lib import Weights as W\ndef softmax(x, dim=-1):\n    w = W()\n    return w.softmax(x)\n",
    "a class of a module": "import lib\ndef softmax(x, dim=-1):\n    return lib.Weights.softmax(x)\n",
}


@pytest.mark.parametrize("way", HONEST_ELSEWHERE)
def test_own_helpers_in_another_file_may_have_these_names(way):
    exercise = "log_softmax" if way == "star" else "softmax"
    assert use(HONEST_ELSEWHERE[way], exercise, others={"lib.py": OWN}) is None


def test_the_file_of_a_use_is_told():
    found = use(ELSEWHERE["imported"], others=OTHERS)
    assert (found.name, found.file, found.line) == ("softmax", "lib.py", 7)


def test_files_that_import_each_other_come_to_an_end():
    assert (
        use(
            "from lib import *\nfrom lib import softmax\n",
            others={"lib.py": "from own import *\nfrom own import softmax\n"},
        )
        is None
    )


def test_another_file_that_does_not_parse_says_nothing():
    assert use("from lib import softmax\n", others={"lib.py": "def softmax(:"}) is None


# ---------------------------------------------------------------------- what overflows a reader

DEEP = {
    "texts added": "getattr(torch, " + " + ".join(["''"] * 1200) + ")",
    "more texts added": "getattr(torch, " + " + ".join(["''"] * 9000) + ")",
    "names added": "getattr(torch, " + " + ".join(["a"] * 1200) + ")",
    "attributes": "torch" + ".a" * 900,
    "calls": "torch" + "()" * 900,
    "subscripts": "torch" + "[0]" * 900,
    "formats": "f'{" * 3 + "1" + "}'" * 3,
    "brackets": "(" * 150 + "1" + ")" * 150,
    "lambdas": "lambda: " * 90 + "1",
    "conditions": "1 if x else " * 900 + "1",
}


@pytest.mark.parametrize("what", DEEP)
def test_source_that_is_nested_deeply_overflows_nobody(what):
    assert use(body(f"return {DEEP[what]}")) is None


def test_texts_that_double_at_each_name_are_given_up():
    doubling = "".join(f"    a{i} = a{i + 1} + a{i + 1}\n" for i in range(50))
    assert (
        use(f"import torch\ndef softmax(x, dim=-1):\n{doubling}    a50 = ''\n    return getattr(torch, a0)\n") is None
    )


def test_names_that_lead_to_themselves_come_to_an_end():
    assert use("a = b\nb = c\nc = a\nsoftmax = a\n") is None


def test_a_chain_of_helpers_of_any_length_is_followed():
    chain = "".join(f"def f{i}(x):\n    return f{i + 1}(x)\n" for i in range(500))
    assert use(
        f"import torch\n{chain}def f500(x):\n    return torch.softmax(x, -1)\ndef softmax(x, dim=-1):\n    return f0(x)\n"
    )


def test_a_megabyte_of_names_is_read_in_the_time_of_its_length():
    """Each statement once: a reader that goes through all of it again for each name does not come back."""
    names = ", ".join(f"v{i}" for i in range(3000))
    wide = f"({names}) = [{names}]\n" * 20
    nested = f"    {names.replace(', ', ' = ')} = 0\n" + "    lambda: 0\n" * 20_000
    assert use(f"import torch\n{wide}def softmax(x, dim=-1):\n{nested}    return v0\n") is None


def test_names_bound_within_one_another_are_read_once():
    depth = 40
    chain = "".join(f"(a{i} := " for i in range(depth)) + "[" + "b, " * 2000 + "F.softmax]" + ")" * depth
    text = body("return " + " + ".join(f"a{i}" for i in range(depth)), f"import torch.nn.functional as F\nz = {chain}")
    sources = Sources({"own.py": text})
    assert forbidden_use(sources, "own.py", "softmax", SOFTMAX).line == 2
    source = sources.read("own.py")
    assert sum(len(code.parts) for code in source._code.values()) < 3 * len(source.nodes)
