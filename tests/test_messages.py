"""Messages as data: what each reader sees of every template, and that nothing else makes a sentence."""

import ast
import json
import re
import shutil
import zipfile
from collections import Counter
from itertools import product
from pathlib import Path

import msgspec
import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from conftest import write

from attention_kata.course.find import find_course
from attention_kata.export.public import summary
from attention_kata.export.public import told as public_checks
from attention_kata.export.request import of_evidence
from attention_kata.gradebook.enrol import enrol
from attention_kata.gradebook.grades import Grades
from attention_kata.gradebook.records import Status, Student
from attention_kata.gradebook.standing import Standing, standings
from attention_kata.intake import find_submissions
from attention_kata.judge.evidence import (
    CheckEvidence,
    CourseVersion,
    Details,
    Evidence,
    ExerciseEvidence,
    Heat,
    Sayings,
    VerdictKind,
    from_json,
    json_bytes,
    to_json,
)
from attention_kata.judge.grading import grade
from attention_kata.judge.recognise import Confidence
from attention_kata.judge.score import evidence_of
from attention_kata.key.file import load_key
from attention_kata.key.model import Category
from attention_kata.messages import templates
from attention_kata.messages.catalogue import POT, fresh_pot
from attention_kata.messages.render import FIELD, LOCALES, PARTS, Voice, render, texts
from attention_kata.messages.said import Place, Said, as_text, said
from attention_kata.messages.templates import IN_GENERAL, KIND_OF, KINDS, TEMPLATES, Audience, Kind, Template
from attention_kata.report.feedback import feedback_for
from attention_kata.report.gather import gather
from attention_kata.report.page import class_page

PACKAGE = Path(templates.__file__).parent.parent
TABLES = [
    value
    for name, value in vars(templates).items()
    if name.isupper() and name != "TEMPLATES" and isinstance(value, dict) and value
    if all(isinstance(template, Template) for template in value.values())
]
FILE = "attention.py"
SENTINELS = {
    Kind.COURSE: "<course {}>",
    Kind.COUNT: "<count {}>",
    Kind.ERROR: "ValueError",
    Kind.TYPE: "tuple",
    Kind.TORCH: "float32",
    Kind.PLACE: Place(FILE, 4711),
    Kind.SECRET: "<secret {}>",
    Kind.TEXT: "<text {}>",
}
HIDDEN = re.compile(r"<(?:secret|text) \w+>")
VOICES = {audience: Voice(audience, files=frozenset({FILE})) for audience in Audience}


def fields(text):
    """The slots of a text: (all, those that are not optional)."""

    def names(part):
        return {field[0].lower() + field[1:] for field in FIELD.findall(part)}

    return names(text), names(PARTS.sub("", text))


def texts_of(template):
    return list(filter(None, (template.text, template.plural, template.public, template.public_plural,
                              template.instructor)))  # fmt: skip


def slots_of(id):
    return set().union(*(fields(text)[0] for text in texts_of(TEMPLATES[id])))


def sentinel(slot):
    value = SENTINELS[KIND_OF[slot]]
    return value.format(slot) if isinstance(value, str) else value


def filled(id):
    """The template with a sentinel in every slot of any of its texts."""
    return said(id, **{slot: sentinel(slot) for slot in slots_of(id)})


def seen(slot):
    """What is seen of a slot's sentinel."""
    value = sentinel(slot)
    return "4711" if isinstance(value, Place) else value


# ---------------------------------------------------------------------- every template, every audience


@pytest.mark.parametrize("id", TEMPLATES)
def test_a_learner_and_an_instructor_read_every_slot(id):
    message, template = filled(id), TEMPLATES[id]
    for audience, text in ((Audience.LEARNER, template.text), (Audience.INSTRUCTOR, template.instructor)):
        shown = render(message, VOICES[audience]).lower()
        wanted = fields(text or template.text)[0]
        assert [slot for slot in wanted if seen(slot).lower() not in shown] == []
        assert not set("{}[]") & set(shown)


@pytest.mark.parametrize("id", TEMPLATES)
def test_the_public_reads_no_secret_and_nothing_that_a_submission_wrote(id):
    shown, template = render(filled(id), VOICES[Audience.PUBLIC]), TEMPLATES[id]
    text = template.text if template.public is None else template.public
    own, due = fields(text)
    may_not = {slot for slot in own if KIND_OF[slot] in (Kind.SECRET, Kind.TEXT)}
    assert not HIDDEN.search(shown)
    assert bool(shown) == bool(text and not may_not & due)
    assert not shown or [slot for slot in own - may_not if seen(slot).lower() not in shown.lower()] == []


@pytest.mark.parametrize("id", [id for id, template in TEMPLATES.items() if template.public])
def test_a_public_text_can_be_said(id):
    """It would be no use if something in it, and not in brackets, were not for the public."""
    _, due = fields(TEMPLATES[id].public)
    assert [slot for slot in due if KIND_OF[slot] in (Kind.SECRET, Kind.TEXT)] == []


@pytest.mark.parametrize("audience", Audience)
def test_an_optional_part_is_left_out_where_its_slot_is_empty(audience):
    for id, template in TEMPLATES.items():
        due = set().union(*(fields(text)[1] for text in texts_of(template)))
        message = said(id, **{slot: sentinel(slot) for slot in due})
        shown = render(message, VOICES[audience])
        assert not set("{}[]") & set(shown), id
        assert shown or audience is Audience.PUBLIC, id


def test_what_is_not_known_is_said_in_general_or_not_at_all():
    assert render(None) == render(Said("of-a-later-release", {"text": "x"})) == ""


@pytest.mark.parametrize("text", ["{text}", "[in {place}]", "{0}", "]{[", "{type_name!r}", "%s %(text)s \\n"])
def test_a_text_is_never_looked_through(text):
    for message in (as_text(text), said("raised", error="ValueError", text=text, place=Place(text, 3))):
        assert text in render(message)


# ---------------------------------------------------------------------- what may be public


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        (said("raised", error="ValueError"), "ValueError."),
        (said("raised", error="Mine31415"), "An exception."),
        (said("raised", error="print"), "An exception."),
        (said("result-type", type="Tensor"), "It returns a tensor; a torch tensor was expected."),
        (said("result-type", type="Mine31415"), "It returns something else; a torch tensor was expected."),
        (said("dtype", result="Q", dtype="float16", expected_dtype="float32"),
         "The dtype of Q is float16; float32 was expected."),
        (said("dtype", result="Q", dtype="float31415", expected_dtype="float32"), ""),
        (said("raised", error="KeyError", place=Place(FILE, 3)), "KeyError in attention.py, line 3."),
        (said("raised", error="KeyError", place=Place(FILE, 31415926)), "KeyError in attention.py."),
        (said("raised", error="KeyError", place=Place("mine31415.py", 3)), "KeyError."),
        (said("raised", error="KeyError", place=Place("/home/ada/attention.py", 3)), "KeyError."),
        (said("raised", error="KeyError", place=Place(FILE, 3, 2)), "KeyError in cell 2, line 3."),
        (said("raised", error="KeyError", place=Place("other.ipynb", 3, 2)), "KeyError in cell 2, line 3."),
        (said("should-raise", expected_error="ValueError", inner=said("raised", error="KeyError", text="31415")),
         "It should raise ValueError here. KeyError."),
        (said("shape", result="Q", inner=said("shape-axis", index=1, held=said("axis-of-size", axis="T", size=31415),
              axis="S", expected_size=31415)), "The shape of Q is not the expected one."),
    ],
)  # fmt: skip
def test_the_public_reads_names_that_are_pythons_torchs_or_the_courses(message, shown):
    assert render(message, VOICES[Audience.PUBLIC]) == shown


# ---------------------------------------------------------------------- the tables and the code agree


def test_no_id_is_in_two_tables():
    counts = Counter(id for table in TABLES for id in table)
    assert [id for id, count in counts.items() if count > 1] == []
    assert set(counts) == set(TEMPLATES)


def test_every_slot_has_one_kind_and_every_slot_with_a_kind_is_used():
    used = {slot for template in TEMPLATES.values() for text in texts_of(template) for slot in fields(text)[0]}
    assert used == set(KIND_OF)
    assert len(KIND_OF) == sum(len(slots.split()) for slots in KINDS.values())


def trees():
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(PACKAGE).as_posix(), ast.parse(path.read_text("utf-8"))


def literal(node):
    """The texts that an expression can be: a constant, one of two, or an f-string with `*` for what it puts in."""
    match node:
        case ast.Constant(value=str()):
            return [node.value]
        case ast.IfExp():
            return literal(node.body) + literal(node.orelse)
        case ast.JoinedStr():
            return ["".join(each.value if isinstance(each, ast.Constant) else "*" for each in node.values)]
    return []


def calls(name):
    """(file, line, call) of every call of a function of this name."""
    for file, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
                yield file, node


def ids_matching(pattern):
    return [id for id in TEMPLATES if re.fullmatch(re.escape(pattern).replace(r"\*", ".+"), id)]


def test_every_template_is_used():
    used = {id for _, call in calls("said") for pattern in literal(call.args[0]) for id in ids_matching(pattern)}
    for file, tree in trees():
        if file == "messages/templates.py":
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                used.add(node.value)
    assert sorted(TEMPLATES.keys() - used) == []


def test_every_message_names_a_template_and_fills_its_slots():
    wrong, count = [], 0
    for file, call in calls("said"):
        given = {keyword.arg for keyword in call.keywords}
        ids = [(pattern, ids_matching(pattern)) for pattern in literal(call.args[0])]
        wrong += [f"{file}:{call.lineno} {pattern}: no such template" for pattern, matching in ids if not matching]
        every = [id for _, matching in ids for id in matching]
        if not every:
            continue  # the id comes from a table: test_every_template_is_used
        known = set().union(*({"count"} if TEMPLATES[id].plural else set() for id in every), *map(slots_of, every))
        due = set().union(*(fields(text)[1] for id in every for text in texts_of(TEMPLATES[id])))
        odd = given - known - {None} or (set() if None in given else due - given)
        wrong += [f"{file}:{call.lineno} {every}: {odd}"] if odd else []
        count += 1
    assert wrong == []
    assert count > 100


def test_every_hint_that_goes_with_a_message_is_a_template():
    hints = [(file, id) for file, call in calls("_say") for arg in call.args[1:] for id in literal(arg)]
    assert [hint for hint in hints if hint[1] and hint[1] not in TEMPLATES] == []
    assert len(hints) > 20


# ---------------------------------------------------------------------- nothing else makes a sentence

ROOMS = ("intake", "report", "export", "notebook", "nbgrader", "sandbox", "gradebook", "judge")
NOT_ABOUT_A_SUBMISSION = {
    # of a course, a command, a screen or a file
    "Made by `kata feedback`, which may write here again.",
    "*: * exercises, * points.",
    "* is not a level: 1, 2 or 3.",
    "Checked without a full sandbox, which this machine does not offer.",
    "* students are in *: nbgrader export, generate_feedback and formgrader go on there.",
    # of a class, to its instructor on the terminal
    "* are both * on the roster: *.",
    "* holds *, and only that is graded; another assignment needs another --db.",
    "* has no grade, so there is nothing to grade again.",
    "* could not be graded yet: leave out --exercise to do it now.",
    # in a notebook that is released
    "Run all cells from the top. Write your answers where the cells say so; add cells of your own as you like.",
    "Each check shows what is right and what is not, with points. In any cell: `%kata list`, `%kata hint softmax`.",
    "If the package `attention_kata` is missing: `%pip install attention-kata`, then restart the kernel.",
}


def texts_in(tree):
    """Texts but for docstrings, which are not told to anybody, and what is raised: that is told to whoever typed a
    command, about the command.
    """
    silent = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and "Unreadable" not in ast.unparse(node):  # which is about a submission
            silent |= set(map(id, ast.walk(node)))
        if isinstance(node, ast.JoinedStr):
            silent |= set(map(id, node.values))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            silent.add(id(node.value))
    for node in ast.walk(tree):
        if id(node) not in silent and isinstance(node, ast.Constant | ast.JoinedStr):
            yield from literal(node)


def sentences(tree):
    """Texts of at least four words that begin like a sentence and end with a full stop."""
    for text in texts_in(tree):
        for line in re.sub("<[^<>]*>", "", text).strip().split("\n"):
            if len(re.findall(r"\w+|\*", line)) >= 4 and re.match(r"[A-Z*]", line) and line.endswith("."):
                yield line.strip()


def test_no_sentence_about_a_submission_is_made_outside_the_templates():
    found = {s for file, tree in trees() if file.split("/")[0] in ROOMS for s in sentences(tree)}
    assert found == NOT_ABOUT_A_SUBMISSION


RAISED_OR_CODE = {
    # of an error about what a command was given
    " (it is empty)",
    " (found: **)",
    ", line *",
    "line * has no student_id",
    "lines * have the same *",
    "* fields where the first line has *",
    "; and * more",
    # Python
    "* import",
}


def words(tree):
    """Texts that hold a word and something beside it, and are no patterns."""
    for text in texts_in(tree):
        if re.search(r"[A-Za-z]{2,}[,:;]? +\S|\S +[A-Za-z]{2,}", text) and not re.search(r"\\[\wb]", text):
            yield text


def test_intake_puts_no_words_together():
    """Its notes are phrases as often as sentences."""
    found = {text for file, tree in trees() if file.startswith("intake/") for text in words(tree)}
    assert found == RAISED_OR_CODE


def test_the_search_for_words_finds_those_of_the_notes():
    found = set(words(dict(trees())["messages/templates.py"]))
    many = [t.text for table in (templates.NOTES, templates.CLASS_NOTES, templates.MEMBERS) for t in table.values()]
    assert [text for text in many if re.search(r"[a-z]{2,} [a-z]{2,}", text) and text not in found] == []


def test_what_intake_says_of_a_class_names_nobody_to_a_student(tmp_path):
    """Each way to be left out or unreadable at once: what the instructor reads of it holds names, which stay there."""
    made = {
        "ada31415.py": DEFINES, "bob31415.rar": b"Rar!", "cy31415.zip": b"PK", "dee31415.ipynb": "{}",
        "eve31415.docx": b"", "fay31415.py": "", "gil31415/gil31415.7z": b"7z", "gil31415/gil31415.ipynb": "{",
        "hal31415/old31415/masks.py": DEFINES, "hal31415/new31415/masks.py": DEFINES, "ivy31415/x31415.txt": "x",
    }  # fmt: skip
    write(tmp_path, made)
    with zipfile.ZipFile(tmp_path / "jo31415.zip", "w") as archive:
        archive.writestr("../jo31415.py", DEFINES)
    intake = find_submissions(tmp_path, ("masks.py",), "mixed")
    with Grades(tmp_path / "grades.db", create=True) as grades:
        enrol(grades, intake.attempts, None)
        read = [each.read(("masks.py",), {"causal_mask": "masks.py"}) for each in intake.attempts]
        for submission in read:
            if why := submission.unread:
                grades.unreadable(submission.name, said("reasons", reasons=why))
        unread = [student.problem for student in grades.students() if student.problem]
    messages = [*intake.notes, *(note for each in read for note in each.notes), *unread]
    messages += [problem.message for each in read for problem in each.problems.values()]
    shown = [render(message, VOICES[Audience.INSTRUCTOR]) for message in messages]
    public = [render(message, Voice(Audience.PUBLIC, files=frozenset({"masks.py"}))) for message in messages]
    for template in ("class-no-answer", "reasons", "archive-left-out", "one-of-several", "member-left-out",
                     "file-empty", "file-refused", "not-read"):  # fmt: skip
        assert template in {message.template for message in messages}
    assert all(shown)
    assert sum("31415" in text for text in shown) > 12
    assert [text for text in public if "31415" in text or str(tmp_path) in text] == []


def test_the_search_for_sentences_finds_those_of_the_templates():
    tree = dict(trees())["messages/templates.py"]
    whole = [
        t.text for t in TEMPLATES.values() if t.text[0].isupper() and t.text.endswith(".") and t.text.count(" ") > 5
    ]
    found = set(sentences(tree))
    assert len(whole) > 50
    assert [text for text in whole if text not in found] == []


# ---------------------------------------------------------------------- languages


@pytest.fixture(scope="module")
def polish(tmp_path_factory):
    """Voices in a language with three plural forms, in which every text is made up: its own, between « and »."""
    catalogue = Catalog(locale="pl")
    for context, one, many in texts():
        made = tuple(f"«{form} {many if form else one}»" for form in range(3)) if many else f"«{one}»"
        catalogue.add((one, many) if many else one, made, context=context)
    folder = tmp_path_factory.mktemp("locale")
    target = folder / "pl" / "LC_MESSAGES" / "kata.mo"
    target.parent.mkdir(parents=True)
    with target.open("wb") as file:
        write_mo(file, catalogue)
    return {audience: Voice(audience, "pl", frozenset({FILE}), folder) for audience in Audience}


@pytest.mark.parametrize(("id", "audience"), [*product(TEMPLATES, Audience)])
def test_every_template_is_said_in_the_language_of_its_catalogue(id, audience, polish):
    message = filled(id)
    here, there = render(message, VOICES[audience]), render(message, polish[audience])
    assert bool(here) == bool(there)
    assert not there or (there[0], there[-1]) == ("«", "»")
    assert [slot for slot in message.slots if seen(slot) in here and seen(slot) not in there] == []


@pytest.mark.parametrize(("count", "form"), [(1, 0), (2, 1), (4, 1), (5, 2), (12, 2), (22, 1)])
def test_plurals_are_those_of_the_language(count, form, polish):
    with_plural = [id for id, template in TEMPLATES.items() if template.plural]
    for id, audience in product(with_plural, Audience):
        message = Said(id, {**filled(id).slots, "count": count})
        assert render(message, polish[audience]).startswith(f"«{form} "), id
    assert with_plural


def test_the_template_of_the_catalogues_is_fresh():
    """`python -m attention_kata.messages.catalogue` writes it."""
    assert POT.read_bytes() == fresh_pot()


def lacking(catalogue):
    """The contexts of what is not translated, or not for certain."""
    for context, one, _ in texts():
        message = catalogue.get(one, context)
        forms = (message.string if isinstance(message.string, tuple) else (message.string,)) if message else ()
        if message is None or message.fuzzy or not forms or not all(forms):
            yield context


def test_every_catalogue_is_complete():
    for path in LOCALES.glob("*/LC_MESSAGES/*.po"):
        with path.open("rb") as file:
            assert list(lacking(read_po(file))) == [], path


def test_a_catalogue_that_is_not_complete_is_noticed():
    with POT.open("rb") as file:
        empty = read_po(file)
    assert list(lacking(empty)) == [context for context, _, _ in texts()]
    for message in empty:
        message.string = ("x", "x") if message.pluralizable else "x"
    assert list(lacking(empty)) == []
    empty.get("{text}", "text").flags.add("fuzzy")
    empty.get("None", "type-none").string = ""
    assert set(lacking(empty)) == {"text", "type-none"}


# ---------------------------------------------------------------------- kept and read again

DATA = Path(__file__).parent / "data"
WROTE = "0.31415926"  # in the text of an exception of the submission that release 0.1.0 graded


def check_of(message, **more):
    hint, place = said("hint-restore", file=FILE), Place("\udcff.py", 3)
    facts = {
        "id": "values", "category": Category.VALUES, "title": "t", "verdict": VerdictKind.ERROR, "points": 0.5,
        "max_points": 1.0, "mistakes": ("m",), "confidence": Confidence.LIKELY, "message": render(message),
        "hint": render(hint), "learner_line": 7, "learner_cell": 2, "elsewhere": place, "already_right": ("n",),
        "seconds": 0.25, "details": Details(first_mismatch="\ud800", shape="(2, 3)", heat=HEAT),
        "said": Sayings(message=message, hint=hint, first_mismatch=as_text("\ud800"), shape=message),
    }  # fmt: skip
    return CheckEvidence(**{**facts, **more})


HEAT = Heat(name="r", rows="T", columns="S", at="B 0", expected=[[0.5, None]], found=[[1.0, 2.0]], first=(0, 3))
NESTED = said(
    "should-raise",
    expected_error="ValueError",
    inner=said("raised", error="E\udc80", place=Place("\ud800/\U0001f600.py", 3), text="\x00\udfff\n"),
)
MANY = said("result-count", count=2, results=("a", "b"), number=3, types=("Tensor", "NoneType"))


@pytest.mark.parametrize("message", [NESTED, MANY, *map(filled, TEMPLATES)], ids=lambda message: message.template)
def test_evidence_written_and_read_again_is_the_same(message):
    exercises = ExerciseEvidence(
        id="e", file=FILE, points=0.5, max_points=1.0, not_started=True, key="k",
        checks=(check_of(message), check_of(message, said=None, learner_cell=None, elsewhere=None)),
    )  # fmt: skip
    evidence = Evidence(
        schema=2, course=CourseVersion("c", "1"), student="\udcfc", points=0.5, max_points=1.0,
        exercises=(exercises,), output="\x1b", isolation={"files": "on"}, fault="f",
    )  # fmt: skip
    again = from_json(json.loads(json_bytes(to_json(evidence))))
    assert again == evidence
    first = again.exercises[0].checks[0]
    assert [render(first.said.message, voice) for voice in VOICES.values()] == [
        render(message, voice) for voice in VOICES.values()
    ]


@pytest.mark.parametrize("schema", [0, 3, "2", None])
def test_evidence_of_a_schema_that_is_not_known_is_refused(schema):
    written = json.loads((DATA / "check-0.1.0.json").read_bytes())
    with pytest.raises(msgspec.ValidationError):
        from_json({**written, "schema": schema})


@pytest.fixture(scope="module")
def first_release():
    """What `kata check --json` of release 0.1.0 printed."""
    return json.loads((DATA / "check-0.1.0.json").read_bytes())


def test_evidence_of_release_0_1_0_is_read(first_release):
    evidence = from_json(first_release)
    assert (first_release["schema"], evidence.points, len(list(evidence.checks))) == (1, first_release["points"], 17)
    assert [check.said for _, check in evidence.checks if check.said] == []


def test_texts_of_release_0_1_0_are_shown_as_they_are_to_learner_and_instructor(first_release):
    texts = [check["message"] for exercise in first_release["exercises"] for check in exercise["checks"]]
    for audience in (Audience.LEARNER, Audience.INSTRUCTOR):
        assert [check.told(VOICES[audience]) for _, check in from_json(first_release).checks] == texts
    assert any(WROTE in text for text in texts)


def test_texts_of_release_0_1_0_are_told_in_public_in_general_or_in_the_catalogues_words(first_release):
    evidence = from_json(first_release)
    voice = evidence.for_student()
    general = {render(said(id)) for id in IN_GENERAL}
    for _, check in evidence.checks:
        told = check.told(voice)
        assert told == ("" if check.passed else check.message) if check.mistakes or check.passed else told in general
    assert {bool(check.mistakes) for _, check in evidence.checks if not check.passed} == {True, False}


def test_texts_in_a_database_of_release_0_1_0_are_shown_to_each_reader_as_far_as_they_may_be(tmp_path):
    shutil.copy(DATA / "grades-0.1.0.db", tmp_path / "grades.db")
    with Grades(tmp_path / "grades.db") as grades:
        rows = {row.id: row for row in standings(grades)}
        page = "".join(class_page(gather(grades), "today"))
        feedback = {id: feedback_for(row, "Course") for id, row in rows.items()}
    wrote = "object has no attribute &#39;transposed&#39;"  # an exception of blaise's
    assert wrote in page  # the instructor's
    assert [id for id, each in feedback.items() if "transposed" in repr(each)] == []
    told = {id: [each.message for e in feedback[id].exercises for each in e.told] for id in ("blaise", "emmy")}
    assert told["blaise"] == ["Your code could not be run to the end."]
    assert told["emmy"][0].startswith("Your heads cut up the sequence")


# ---------------------------------------------------------------------- what keeps a file from being run

DEFINES = "def causal_mask(T, S=None):\n    return T\n"


def notebook(*cells, **more):
    cells = [{"cell_type": "code", "source": cell} for cell in cells]
    return json.dumps({"cells": cells, "nbformat": 4, "metadata": {}, **more})


FOREIGN = {"kernelspec": {"language": "R31415"}, "language_info": {"name": "R31415"}}
SUBMITTED = {  # what is handed in -> what its student reads first, of a class that is graded with a secret key
    "nothing of the topic": ({"notes31415.py": "x = 1\n", "heads.py": "y = 1"}, "masks.py was not handed in."),
    "a folder": ({"masks.py/31415.txt": "x"}, "masks.py is a folder; a file was expected."),
    "too large": ({"masks.py": DEFINES + "#" * 1_000_001}, "masks.py is larger than 1 MB."),
    "a NUL byte": ({"masks.py": DEFINES + "\0 31415"}, "masks.py holds a NUL byte on line 3."),
    "another encoding": ({"masks.py": b"# \xff 31415\n"}, "masks.py is not UTF-8 text: see line 1."),
    "empty": ({"masks.py": "\n"}, "masks.py is empty."),
    "a cell that is broken": (
        {"my31415.ipynb": notebook("x = 1", "def causal_mask(T, S=None)\n    return 31415")},
        "SyntaxError in cell 2, line 1: Python cannot read the code of that cell.",
    ),
    "no JSON": ({"my31415.ipynb": "{31415"}, "What you handed in for masks.py is not a notebook: it is not JSON."),
    "no UTF-8": (
        {"my31415.ipynb": b'{"\xff'}, "What you handed in for masks.py is not a notebook: it is not UTF-8 text."
    ),
    "no cells": ({"my31415.ipynb": "{}"}, "What you handed in for masks.py is not a notebook: it has no cells."),
    "another language": (
        {"my31415.ipynb": notebook(DEFINES, metadata=FOREIGN)},
        "What you handed in for masks.py is not a Python notebook.",
    ),
    "no code": ({"my31415.ipynb": notebook()}, "What you handed in for masks.py holds no code."),
    "a name that is missing": (
        {"my31415.ipynb": notebook("width31415 = input()", DEFINES.replace("None", "width31415"))},
        "causal_mask in cell 2 cannot be defined: something that it needs is missing.",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def causal_mask():
    key = load_key(find_course().public_key)
    return key, next(exercise for exercise in key.exercises if exercise.name == "causal_mask")


@pytest.mark.parametrize("name", SUBMITTED)
def test_a_student_reads_what_keeps_their_work_from_being_run(name, causal_mask, tmp_path):
    key, exercise = causal_mask
    files, expected = SUBMITTED[name]
    write(tmp_path, {f"class/Ada31415/{file}": content for file, content in files.items()})
    write(tmp_path, {"class/bob31415/masks.py": DEFINES})
    attempts = find_submissions(tmp_path / "class", key.files, "folders").attempts
    attempt = next(each for each in attempts if each.student == "Ada31415")
    submission = attempt.read(("masks.py",), {exercise.name: "masks.py"})
    graded = grade(submission, key, [exercise], student="s")
    row = of_evidence(from_json(json.loads(json_bytes(to_json(evidence_of(graded))))))
    [first, *_] = public_checks(row)
    feedback = feedback_for(row, "Course")
    assert (row.points, first.message, first.verdict) == (0.0, expected, VerdictKind.ERROR)
    assert feedback.exercises[0].told[0].message == expected
    assert "31415" not in repr([*public_checks(row), feedback])
    private = row.result.evidence.exercises[0].checks[0]
    assert private.message != render(said("general-error"))
    assert private.hint == first.hint


def test_a_student_whose_archive_is_not_read_is_told_so(causal_mask, tmp_path):
    key, exercise = causal_mask
    write(tmp_path, {"ada.py": DEFINES, "bob31415.rar": b"Rar!"})
    attempt = find_submissions(tmp_path, key.files).attempts[1]
    assert "bob31415.rar is of a kind that is not read here" in render(attempt.problem)
    graded = grade(attempt.read(("masks.py",), {exercise.name: "masks.py"}), key, [exercise], student="s")
    [first, *_] = public_checks(of_evidence(evidence_of(graded)))
    assert (first.message, first.hint) == ("Your submission could not be read.", "Hand it in again.")
    unread = Standing(student=Student(id="bob31415", problem=attempt.problem), status=Status.UNREADABLE, max_points=1.0)
    assert feedback_for(unread, "Course").opening.startswith("Your submission could not be read")
    assert "31415" not in summary(unread)
