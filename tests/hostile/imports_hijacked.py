# attempts: finders, hooks, modules and loaders of its own in the place of what the worker imports later
# expect: attention_scores = failed, error, crashed
# expect: points = 0
import builtins
import importlib
import linecache
import sys
import types


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        raise ImportError(f"{name} belongs to me")


class Module(types.ModuleType):
    def __getattr__(self, name):
        return lambda *args, **kwargs: True


sys.meta_path.insert(0, Finder)
sys.path_hooks.insert(0, lambda path: Finder)
sys.path[:] = ["/tmp/kata-hostile"]
sys.path_importer_cache.clear()
for name in list(sys.modules):
    if name.startswith(("attention_kata", "safetensors", "inspect", "dis", "resource")):
        sys.modules[name] = Module(name)
builtins.__import__ = lambda *args, **kwargs: Module("anything")
importlib.import_module = importlib.reload = lambda *args, **kwargs: Module("anything")
linecache.getline = lambda *args: ""


def attention_scores(Q, K):
    return "right"
