"""What would bring torch's compiler in does what it says without it, in both kinds of workers."""

import pytest

from attention_kata.intake.submission import Submission
from attention_kata.sandbox.fresh import fresh_workers
from attention_kata.sandbox.layers import sandbox_exists
from attention_kata.sandbox.session import Limits, run_all
from attention_kata.sandbox.zygote import confined_workers

LOADED = (
    "print(any(name.startswith(('torch._dynamo.', 'torch._inductor')) "
    "and name != 'torch._dynamo.config' for name in sys.modules))"
)
SAYS = {
    "torch.use_deterministic_algorithms(True)\nprint(torch.are_deterministic_algorithms_enabled())": ["True", "False"],
    "torch.use_deterministic_algorithms(False)\nprint(torch.are_deterministic_algorithms_enabled())": ["False"] * 2,
    "torch.use_deterministic_algorithms(True, warn_only=True)\n"
    "print(torch.is_deterministic_algorithms_warn_only_enabled())": ["True", "False"],
    "@torch.compile\ndef twice(x):\n    return 2 * x\nprint(twice(torch.ones(())).item())": ["2.0", "False"],
    "twice = torch.compile(dynamic=True)(lambda x: 2 * x)\nprint(twice(torch.ones(())).item())": ["2.0", "False"],
    "layer = torch.compile(torch.nn.Linear(2, 3))\nprint(tuple(layer(torch.ones(2)).shape))": ["(3,)", "False"],
    "x = torch.nn.Parameter(torch.ones(()))\n(2 * x).backward()\n"
    "torch.optim.SGD([x], lr=0.25).step()\nprint(x.item())": ["0.5", "False"],
    "import torch.nn.attention.bias\nprint('imported')": ["imported", "False"],
    "print(torch.ones(2, 2, device='meta').softmax(0).device)": ["meta", "False"],
    "from torch.utils.checkpoint import checkpoint\nx = torch.ones((), requires_grad=True)\n"
    "checkpoint(lambda x: 2 * x, x, use_reentrant=False).backward()\nprint(x.grad.item())": ["2.0", "False"],
    "import torch._dynamo\nprint(torch._dynamo.config.__name__)": ["torch._dynamo.config", "False"],
    "from torch._dynamo import config\nprint(config.__name__)": ["torch._dynamo.config", "False"],
    "from torch._dynamo import config\nimport torch._dynamo.utils\nprint(torch._dynamo.config is config)": [
        "True",
        "True",
    ],
    "from torch._dynamo.decorators import disable\nimport torch._dynamo\n"
    "print(disable is torch._dynamo.decorators.disable)": ["True", "True"],
    "from torch._dynamo.exc import Unsupported\nimport torch._dynamo.eval_frame as frame\n"
    "print(frame.Unsupported is Unsupported)": ["True", "True"],
    "import torch._dynamo.utils\nprint(torch._dynamo.config.__name__)": ["torch._dynamo.config", "True"],
}


@pytest.fixture(scope="module", params=["warm", "fresh"])
def workers(request):
    if request.param == "warm" and not sandbox_exists():
        pytest.skip("there is no sandbox on this system")
    with (confined_workers if request.param == "warm" else fresh_workers)() as workers:
        yield workers


@pytest.mark.parametrize("source", SAYS)
def test_it_runs_and_brings_in_no_more_than_it_needs(workers, source):
    text = f"import sys\nimport torch\n{source}\n{LOADED}\n"
    run = run_all(Submission("s", {"a.py": text}), (), Limits(30), workers, ("a.py",))
    assert run.modules["a.py"].error is None, run.modules["a.py"].error
    assert run.output.split("\n")[:-1] == [*SAYS[source]]
