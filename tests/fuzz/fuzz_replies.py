"""Coverage-guided fuzzing of everything that a worker's bytes reach: parsers, diagnosis, points, what is printed.

    python tests/fuzz/fuzz_replies.py CORPUS [options of libFuzzer, such as -runs=100000]

CORPUS is a folder for inputs; replies of real workers are put there first.  An input is one byte that says how the
rest is read, two that choose the case it is about, and the rest.
"""

import json
import struct
import sys
import warnings
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).parent.parent))
with atheris.instrument_imports(include=["attention_kata"]):
    import forge

    from attention_kata.intake.submission import Submission
    from attention_kata.sandbox.observation import Malformed, read_hello, read_module, read_observation
    from attention_kata.sandbox.reader import parse
    from attention_kata.sandbox.session import Limits, run_all

STREAM, PAYLOAD, PARTS = range(3)  # whole frames; one reply; JSON, header and numbers of one, put together for it
CUT = b"\n--\n"  # between these parts
MASKS = [forge.EXERCISES["padding_mask"], forge.EXERCISES["combine_masks"]]
CASES = [(e, case) for e in forge.KEY.exercises for case in e.cases]


class Target:
    def __init__(self):
        run, self.frames = forge.overhear(forge.wrong_files(), forge.KEY.exercises)
        self.hello = forge.frame(*self.frames[0])
        self.wrong = {
            e.name: {id: seen for (name, id), seen in run.observations.items() if name == e.name}
            for e in forge.KEY.exercises
        }

    def __call__(self, data):
        if len(data) < 3:
            return
        how, which, rest = data[0] % 3, int.from_bytes(data[1:3]) % len(CASES), data[3:]
        if how == STREAM:
            self.stream(rest)
        else:
            self.reply(*CASES[which], put_together(rest) if how == PARTS else rest)

    def stream(self, words):
        workers = forge.forgers(self.hello + words, then=self.hello)
        run = run_all(Submission("forged", {"masks.py": ""}), MASKS, Limits(), workers)
        for exercise in MASKS:
            seen = {id: seen for (name, id), seen in run.observations.items() if name == exercise.name}
            forge.judge(exercise, seen, run.modules.get("masks.py"), run.output)

    def reply(self, exercise, case, payload):
        """One reply read as each kind; a verdict where it is an observation."""
        try:
            meta, arrays = parse(payload)
        except Malformed:
            return
        seen = None
        for read in (read_hello, read_module, lambda meta: read_observation(meta, arrays)):
            try:
                seen = read(meta)
            except Malformed:
                seen = None
        if seen is not None:
            forge.judge(exercise, {**self.wrong[exercise.name], case.id: seen})

    def seeds(self):
        order = {f"{e.name}/{case.id}": i for i, (e, case) in enumerate(CASES)}
        own = [f for f in self.frames if b'"masks.py"' in f[1] or b"padding_mask/" in f[1]]
        yield bytes([STREAM, 0, 0]) + b"".join(forge.frame(*f) for f in own)
        for kind, text in self.frames:
            json_text, numbers = forge.parts(text)
            which = order.get(json.loads(json_text).get("key"), 0).to_bytes(2)
            header = 8 + int.from_bytes(numbers[:8], "little")
            yield bytes([STREAM, *which]) + forge.frame(kind, text)
            yield bytes([PAYLOAD, *which]) + text
            yield bytes([PARTS, *which]) + CUT.join([json_text, numbers[8:header], numbers[header:]])


def put_together(data):
    text, header, numbers = [*data.split(CUT, 2), b"{}", b""][:3]
    return forge.payload(text, struct.pack("<Q", len(header)) + header + numbers)


def main(corpus, *options):
    warnings.simplefilter("error")  # a warning of numpy's would end up on the learner's terminal
    target = Target()
    for number, seed in enumerate(target.seeds()):
        (Path(corpus) / f"real-{number:03}").write_bytes(seed)
    atheris.Setup([sys.argv[0], *options, corpus], target)
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
