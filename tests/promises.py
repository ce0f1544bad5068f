"""What a prompt promises, clause by clause: its sentences, without formulas, examples and sources."""

import ast
import re
import textwrap

from attention_kata.course.find import find_course

COURSE = find_course()
ENDS = re.compile(r"(?<=[.:])\s+(?=[A-Z(\"])")  # of a sentence


def prompt(topic, name):
    tree = ast.parse((COURSE.exercises / f"{topic}.py").read_text(encoding="utf-8"))
    node = next(n for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef) and n.name == name)
    return ast.get_docstring(node) or ""


def clauses(text):
    """Every sentence of the prompt up to its example; a bullet begins a new one, indented lines are formulas."""
    body = re.split(r"\nExamples?\b", text)[0]
    found = []
    for block in re.split(r"\n\s*\n|\n(?=- )", body)[1:]:
        if block.startswith("    ") or not block.strip():
            continue
        block = " ".join(textwrap.dedent(block.removeprefix("- ")).split())
        found += [sentence for sentence in ENDS.split(block) if sentence]
    return found
