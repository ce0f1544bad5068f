# attempts: the tricks that fool graders of notebooks: AST transformers, magics, a replaced test runner
# expect: attention_scores = error
# expect: points = 0
import ast
import builtins
import sys
import types
import unittest


class Pass(ast.NodeTransformer):
    def visit_Assert(self, node):
        return ast.Pass()


class Shell:
    ast_transformers = [Pass()]

    def __getattr__(self, name):
        return lambda *args, **kwargs: True


builtins.get_ipython = lambda: Shell()
sys.modules["IPython"] = sys.modules["ipykernel"] = types.ModuleType("IPython")
sys.modules["IPython"].get_ipython = builtins.get_ipython
unittest.TestCase.run = lambda self, result=None: result
for name in ("pytest", "otter", "nbgrader", "grader"):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].check = sys.modules[name].grade = lambda *args, **kwargs: 100


def attention_scores(Q, K):
    raise AssertionError("should have been transformed away")
