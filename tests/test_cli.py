"""The command line's contract, through the real program: what each command does, prints and exits with."""

import json
import os
import shutil

import pytest
from conftest import EXERCISES, FOLDER, checked, cold_kata, kata, right, write

import attention_kata.cli as commands
from attention_kata import __version__
from attention_kata.cli.dev import dev
from attention_kata.course.find import find_course

TOPICS = [f"{topic}.py" for topic in find_course().modules]
ALL = [solution.name for _, solution in find_course().solutions]
POINTS = sum(solution.points for _, solution in find_course().solutions)

# Names in this order, and types.
SCHEMA = json.loads("""
{"schema": 2, "course": {"id": "attention", "version": "..."}, "student": null,
 "points": 61.0, "max_points": 100.0,
 "exercises": [{"id": "attention", "file": "attention.py", "points": 8.0, "max_points": 16.0,
   "not_started": false,
   "checks": [{"id": "masked", "category": "mask", "title": "...", "verdict": "failed",
     "points": 0.0, "max_points": 4.0, "mistakes": ["mask-inverted"], "confidence": "exact",
     "message": "...", "hint": "...", "details": {"first_mismatch": "...", "shape": "...",
       "heat": {"name": "weights", "rows": "T", "columns": "S", "at": "B 0", "expected": [[0.5]], "found": [[0.25]],
                "first": [0, 0]}},
     "learner_line": 14, "already_right": ["..."], "seconds": 0.002,
     "said": {
       "message": {"is": "said", "template": "mistakes", "slots": {"mistakes": ["..."]}},
       "hint": {"is": "said", "template": "question", "slots": {"question": "..."}},
       "first_mismatch": {"is": "said", "template": "sees-keys", "slots": {
         "lead": [{"is": "said", "template": "sample", "slots": {"index": 0}}],
         "query": 0, "key": 3, "keys": ["0"], "weight": "0.98"}}}}]}],
 "output": "what the code printed, cut", "isolation": {}}
""")


def form(value):
    """Names in their order and types of a JSON value; a list has the form of its first element."""
    if isinstance(value, dict):
        return [(name, form(v)) for name, v in value.items()]
    return [form(v) for v in value[:1]] if isinstance(value, list) else type(value).__name__


@pytest.fixture(scope="module")
def learner(tmp_path_factory):
    """A submission half-way: the first topic is written, with the mask the wrong way round."""
    inverted = right("attention").replace("mask == 0", "mask != 0")
    return write(tmp_path_factory.mktemp("learner"), {"attention.py": inverted})


@pytest.fixture(scope="module")
def attention(learner):
    """The only exercise of the JSON object for `attention` of that submission, and the object itself."""
    result = checked("attention", cwd=learner)
    return result["exercises"][0], result


# ---------------------------------------------------------------------- the program


def test_the_version_is_the_packages(tmp_path):
    assert cold_kata("--version", cwd=tmp_path).stdout == f"kata, version {__version__}\n"


DRAWING = "kata: drawing an answer key, which takes up to half a minute"  # without a terminal, in place of a bar
COMMANDS = [*commands.kata.commands]
ALL_WORDS = [[name] for name in COMMANDS] + [["dev", name] for name in dev.commands]


def test_help_names_every_command(tmp_path):
    shown = kata("--help", cwd=tmp_path).stdout
    assert [c for c in COMMANDS if f"│ {c} " not in shown] == []


@pytest.mark.parametrize("command", ALL_WORDS, ids=" ".join)
def test_every_command_starts_and_says_what_it_is_for(command, tmp_path):
    run = cold_kata(*command, "--help", cwd=tmp_path)
    said = " ".join(run.stdout.replace("│", " ").split())
    assert (run.returncode, run.stderr, f"kata {' '.join(command)} " in said) == (0, "", True)


def test_a_class_is_graded_and_graded_again_by_the_program_as_it_starts(tiny, ada, tmp_path):
    """Most other runs of these tests are forked from a program that has started: `conftest.kata`."""
    drawn = cold_kata("dev", "key", "--secret", "--out", "cold.key", "--course", tiny, cwd=tmp_path)
    graded = cold_kata("grade", ada, "--key", "cold.key", "--exercise", "double", "--course", tiny, cwd=tmp_path)
    again = cold_kata("regrade", cwd=tmp_path)
    checked = cold_kata("check", "double", "--course", tiny, cwd=ada / "ada")
    assert [run.returncode for run in (drawn, graded, again, checked)] == [0, 0, 0, 0], graded.stderr
    assert graded.stdout.splitlines()[2].split() == ["ada", "1/1"]
    assert again.stdout == "0 of 1 change.\n"
    for warm in (
        kata("check", "double", "--course", tiny, cwd=ada / "ada"),
        kata("check", "double", "--course", tiny, cwd=ada / "ada"),  # in the same zygote
    ):
        assert (warm.returncode, warm.stdout, warm.stderr) == (0, checked.stdout, checked.stderr)


def test_an_unknown_command_is_a_usage_error(tmp_path):
    run = kata("chekc", cwd=tmp_path)
    assert (run.returncode, "No such command 'chekc'" in run.stderr) == (2, True)


def test_a_file_of_the_learner_does_not_take_the_place_of_a_library(tmp_path):
    write(tmp_path, {"numpy.py": "raise SystemExit(9)", "json.py": "raise SystemExit(9)"})
    assert cold_kata("list", cwd=tmp_path).returncode == 0


def test_a_terminal_that_cannot_show_a_character_is_no_reason_to_stop(tmp_path):
    run = kata("list", cwd=tmp_path, PYTHONIOENCODING="ascii")
    assert (run.returncode, run.stderr) == (0, "")


# ---------------------------------------------------------------------- init


def test_init_puts_the_stubs_into_a_folder(tmp_path):
    kata("init", "mine", cwd=tmp_path)
    found = {file.name: file.read_bytes() for file in (tmp_path / "mine").iterdir()}
    assert found == {name: (EXERCISES / name).read_bytes() for name in TOPICS}


def test_init_says_what_to_do_next(tmp_path):
    said = kata("init", cwd=tmp_path).stdout.splitlines()[-1]
    assert said == ("Open attention-kata/attention.py, write attention_scores, then: cd attention-kata && kata check")


def test_init_keeps_a_file_that_is_there(tmp_path):
    write(tmp_path, {"attention-kata/heads.py": "mine"})
    run = kata("init", cwd=tmp_path)
    kept = (tmp_path / "attention-kata" / "heads.py").read_text()
    assert (run.returncode, kept, "  kept  attention-kata/heads.py\n" in run.stdout) == (0, "mine", True)


def test_init_in_the_place_of_a_file_is_refused_in_one_line(tmp_path):
    write(tmp_path, {"taken": ""})
    run = kata("init", "taken/mine", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (2, "kata: taken/mine: Not a directory. Choose another folder.\n")


# ---------------------------------------------------------------------- list, hint


def test_list_shows_every_exercise_in_order(tmp_path):
    lines = kata("list", cwd=tmp_path).stdout.splitlines()
    assert [line.split()[0] for line in lines if line.startswith("  ")] == ALL


def test_list_ends_with_the_points_of_the_course(tmp_path):
    assert kata("list", cwd=tmp_path).stdout.splitlines()[-1] == (
        f"Attention by hand: {len(ALL)} exercises, {POINTS:g} points."
    )


def test_a_hint_names_the_next_one(tmp_path):
    lines = kata("hint", "softmax", cwd=tmp_path).stdout.splitlines()
    assert (lines[0], lines[-1]) == ("softmax, hint 1 of 3", "Still stuck? kata hint softmax 2")


def test_there_is_no_fourth_hint(tmp_path):
    run = kata("hint", "softmax", 4, cwd=tmp_path)
    assert (run.returncode, "4 is not in the range 1<=x<=3" in run.stderr) == (2, True)


# ---------------------------------------------------------------------- check


def test_stubs_fail_as_not_started(stubs):
    run = kata("check", cwd=stubs)
    assert (run.returncode, run.stdout.count("  not started\n")) == (1, len(ALL))


def test_exercises_in_a_checkout_are_found(stubs):
    stubs.rename(stubs.parent / "exercises")
    assert kata("reset", "heads", cwd=stubs.parent).returncode == 0


@pytest.fixture(scope="module")
def shown(learner):
    return kata("check", cwd=learner).stdout


def test_the_first_exercise_that_does_not_pass_is_shown_in_full(shown):
    titles = [line.split("   ")[0] for line in shown.splitlines() if " › " in line]
    assert titles == ["  attention › the prompt's own example"]


def test_the_mistake_is_named_with_the_question_that_leads_on(shown):
    assert (
        "  You attend exactly where the mask says no.\n" in shown,
        "  Say aloud what True means in this exercise" in shown,
    ) == (True, True)


def test_one_exercise_is_checked_by_name(attention):
    assert [exercise["id"] for exercise in attention[1]["exercises"]] == ["attention"]


def test_topics_are_checked_by_name_and_by_file(stubs):
    result = checked("self_attention.py", "heads", cwd=stubs)
    assert [exercise["id"] for exercise in result["exercises"]] == ["split_heads", "merge_heads", "SelfAttention"]


def test_exit_code_0_means_that_all_that_was_checked_passes(learner, tmp_path):
    assert kata("check", "attention_scores", "softmax", "--dir", learner, cwd=tmp_path).returncode == 0


def test_an_unknown_exercise_is_a_usage_error_with_a_suggestion(learner):
    run = kata("check", "atention", cwd=learner)
    assert (run.returncode, run.stderr.splitlines()[-1]) == (
        2,
        "Error: there is no exercise 'atention'. Did you mean attention?",
    )


def test_an_exercise_like_no_other_is_a_usage_error_that_names_the_list(learner):
    run = kata("hint", "zzz", cwd=learner)
    assert (run.returncode, run.stderr.splitlines()[-1]) == (
        2,
        "Error: there is no exercise 'zzz'. `kata list` shows them all.",
    )


def test_a_folder_without_exercises_says_how_to_get_them(tmp_path):
    run = kata("check", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (
        2,
        "kata: there are no exercise files here. `kata init` gets them; --dir names another folder.\n",
    )


def test_the_json_object_has_the_form_of_the_issue(attention):
    exercise, result = attention
    failed = next(check for check in exercise["checks"] if check["id"] == "masked")
    result = {**result, "exercises": [{**exercise, "checks": [failed]}], "isolation": {}}
    assert form(result) == form(SCHEMA)


def test_the_json_object_says_its_schema_course_and_no_student(attention):
    _, result = attention
    assert (result["schema"], result["course"]["id"], result["student"]) == (2, "attention", None)


def test_the_json_object_names_the_mistake_by_its_id(attention):
    exercise, _ = attention
    failed = next(check for check in exercise["checks"] if check["id"] == "masked")
    assert (failed["verdict"], failed["mistakes"], failed["confidence"]) == ("failed", ["mask-inverted"], "exact")


def test_points_of_the_checks_add_up(attention):
    exercise, result = attention
    total = sum(check["points"] for check in exercise["checks"])
    assert (total, exercise["points"], result["points"]) == (exercise["points"], result["points"], total)


# ---------------------------------------------------------------------- reset


def test_reset_brings_back_one_exercise_and_leaves_the_others(learner, tmp_path):
    mine = shutil.copytree(learner, tmp_path / "mine")
    kata("reset", "attention", cwd=mine)
    exercises = checked("attention.py", cwd=mine)["exercises"]
    assert [exercise["points"] for exercise in exercises] == [8.0, 6.0, 0.0]


def test_reset_keeps_a_dated_copy_of_what_was_there(learner, tmp_path):
    mine = shutil.copytree(learner, tmp_path / "mine")
    kata("reset", "attention", cwd=mine)
    (copy,) = mine.glob("attention.20*.txt")
    assert copy.read_bytes() == (learner / "attention.py").read_bytes()


def test_reset_of_a_file_brings_back_the_whole_stub(learner, tmp_path):
    mine = shutil.copytree(learner, tmp_path / "mine")
    kata("reset", "attention.py", cwd=mine)
    assert (mine / "attention.py").read_bytes() == (EXERCISES / "attention.py").read_bytes()


def test_two_resets_keep_two_copies(learner, tmp_path):
    mine = shutil.copytree(learner, tmp_path / "mine")
    kata("reset", "attention.py", cwd=mine)
    kata("reset", "attention.py", cwd=mine)
    assert len(list(mine.glob("attention.20*.txt"))) == 2


def test_reset_brings_back_a_missing_file(learner, tmp_path):
    mine = shutil.copytree(learner, tmp_path / "mine")
    run = kata("reset", "split_heads", cwd=mine)
    assert (run.stdout, (mine / "heads.py").read_bytes()) == (
        "The stub of split_heads is back.\n",
        (EXERCISES / "heads.py").read_bytes(),
    )


def test_reset_of_an_exercise_in_a_broken_file_says_how_to_reset_the_file(learner, tmp_path):
    mine = write(shutil.copytree(learner, tmp_path / "mine"), {"heads.py": "def split_heads(:\n"})
    run = kata("reset", "split_heads", cwd=mine)
    assert (run.returncode, run.stderr) == (
        2,
        "kata: heads.py cannot be read (SyntaxError). "
        "Type `kata reset heads.py` to reset the whole file; a copy is kept.\n",
    )


def test_reset_does_not_touch_a_folder_in_the_place_of_a_file(learner, tmp_path):
    mine = write(shutil.copytree(learner, tmp_path / "mine"), {"heads.py": FOLDER})
    run = kata("reset", "split_heads", cwd=mine)
    assert (run.returncode, run.stderr) == (2, "kata: heads.py is a folder: rename it first\n")


# ---------------------------------------------------------------------- grade

DOUBLE = "def double(x):\n    return 2 * x\n"
TWICE = "def twice(x):\n    return 2 * x\n"


@pytest.fixture(scope="module")
def students(tmp_path_factory):
    """A class of three: one right, one with a mistake, one who handed in half; and what is no student's."""
    return write(
        tmp_path_factory.mktemp("class"),
        {
            "ada/double.py": DOUBLE,
            "ada/twice.py": TWICE,
            "blaise/double.py": DOUBLE,
            "blaise/twice.py": TWICE.replace("2 * x", "x"),
            "emmy/double.py": DOUBLE,
            ".git/config": "",
            "__MACOSX/double.py": "",
            "notes.txt": "",
        },
    )


@pytest.fixture(scope="module")
def graded(tiny, students, tmp_path_factory):
    """`kata grade` with a fresh key -> the run, and what it wrote."""
    file = tmp_path_factory.mktemp("out") / "grades.json"
    run = kata("grade", students, "--course", tiny, "--json", file, cwd=file.parent)
    return run, json.loads(file.read_text(encoding="utf-8"))


def test_grade_shows_each_student_with_points_and_what_stands_in_the_way(graded):
    rows = [line.rstrip().split(maxsplit=2) for line in graded[0].stdout.splitlines()[2:5]]
    assert rows == [
        ["ada", "2/2"],
        ["blaise", "1/2", "not-doubled"],
        ["emmy", "1/2", "twice: twice.py is missing from emmy."],
    ]


def test_grade_counts_the_mistakes_of_the_class(graded):
    assert "    1 of 3  You return x as it came.\n" in graded[0].stdout


def test_grade_exits_with_0_when_everyone_could_be_graded(graded):
    assert (graded[0].returncode, graded[0].stderr) == (0, f"{DRAWING}\n")


def test_grade_writes_one_object_for_each_student(graded):
    assert [(s["student"], s["points"]) for s in graded[1]["submissions"]] == [
        ("ada", 2.0),
        ("blaise", 1.0),
        ("emmy", 1.0),
    ]


def test_what_grade_writes_has_the_form_of_what_check_prints(graded, learner):
    (submission, *_) = graded[1]["submissions"]
    names = [name for name, _ in form(submission)]
    assert ([*graded[1]], names) == (["schema", "submissions"], list(SCHEMA))


@pytest.fixture(scope="module")
def ada(tmp_path_factory):
    """A class of one."""
    return write(tmp_path_factory.mktemp("ada"), {"ada/double.py": DOUBLE})


@pytest.fixture(scope="module")
def secret(tiny):
    """`kata dev key --secret`, which writes own.key."""
    return kata("dev", "key", "--secret", "--out", "own.key", "--course", tiny, cwd=tiny)


def test_dev_key_says_what_it_drew(secret):
    assert (secret.returncode, secret.stdout) == (0, "own.key  0.00 MB, 2 exercises, 2 points\n")


def test_a_secret_key_does_not_say_its_seed(secret, tiny):
    assert b'\\"seed\\": null' in (tiny / "own.key").read_bytes()


def test_grade_takes_a_key_of_ones_own(secret, tiny, ada, tmp_path):
    options = ("--course", tiny, "--key", tiny / "own.key", "--exercise", "double")
    run = kata("grade", ada, *options, cwd=tmp_path)
    assert (run.returncode, run.stderr, run.stdout.splitlines()[2].split()) == (0, "", ["ada", "1/1"])


def test_without_solutions_grade_warns_that_everyone_can_read_the_answers(tiny, ada, tmp_path):
    shutil.copytree(tiny / "exercises", tmp_path / "exercises")
    shutil.copy(tiny / "public.key.safetensors", tmp_path)
    run = kata("grade", ada, "--course", tmp_path, cwd=tmp_path)
    assert (run.returncode, run.stderr) == (
        0,
        "kata: warning: no solutions here, so this is graded with the public key, whose answers everyone can read.\n",
    )


def test_a_name_that_is_no_text_does_not_stop_the_class(tiny, tmp_path):
    try:
        os.makedirs(os.fsencode(tmp_path) + b"/class/caf\xe9")
    except OSError:
        pytest.skip("this file system takes no such name")
    write(tmp_path / "class" / os.fsdecode(b"caf\xe9"), {"double.py": DOUBLE})
    key = tiny / "public.key.safetensors"
    run = kata("grade", "class", "--course", tiny, "--key", key, "--json", "names.json", cwd=tmp_path)
    (submission,) = json.loads((tmp_path / "names.json").read_bytes())["submissions"]
    assert (run.returncode, submission["student"]) == (0, os.fsdecode(b"caf\xe9"))


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nowhere", "Error: Invalid value for 'PATH': Path 'nowhere' does not exist."),
        ("file", "kata: file is damaged or not an archive: unpack it yourself, then give the folder."),
        (
            "empty",
            "kata: empty holds no submissions (it is empty). Expected: a folder or archive with one folder, or "
            "one .py, .ipynb or .zip file, for each student; or a platform's download, unchanged.",
        ),
        (
            "one",
            "kata: one holds double.py, so it looks like one submission: "
            "give the folder that holds the student folders.",
        ),
    ],
)
def test_a_wrong_path_to_grade_is_refused_in_one_line(path, message, tiny, tmp_path):
    write(tmp_path, {"file": "", "empty": FOLDER, "one/double.py": DOUBLE, "one/folder": FOLDER})
    run = kata("grade", path, "--course", tiny, "--key", tiny / "public.key.safetensors", cwd=tmp_path)
    assert (run.returncode, run.stderr.splitlines()[-1]) == (2, message)


def test_a_file_that_is_no_key_is_refused_in_one_line(tiny, students):
    write(tiny, {"broken.key": "not a key"})
    run = kata("grade", students, "--course", tiny, "--key", "broken.key", cwd=tiny)
    assert (run.returncode, run.stderr) == (
        2,
        "kata: broken.key is not an answer key (JSONDecodeError): draw one with `kata dev key`\n",
    )


def test_json_to_a_folder_that_is_not_there_is_refused_before_grading(tiny, students):
    run = kata("grade", students, "--course", tiny, "--json", "nowhere/grades.json", cwd=tiny)
    assert (run.returncode, run.stderr) == (
        2,
        "kata: nowhere is not a folder: create it first, or write --json elsewhere.\n",
    )


# ---------------------------------------------------------------------- doctor


def test_doctor_finds_nothing_to_mend_here(tmp_path):
    run = kata("doctor", cwd=tmp_path)
    assert (run.returncode, "✗" in run.stdout) == (0, False)


def test_doctor_says_what_is_missing(tmp_path):
    write(tmp_path, {"exercises": FOLDER})
    run = kata("doctor", "--course", ".", cwd=tmp_path)
    said = next(line for line in run.stdout.splitlines() if line.startswith("✗"))
    assert (run.returncode, said.split(maxsplit=2)[2]) == (
        2,
        "public.key.safetensors cannot be read: No such file or directory. Draw a key with: kata dev key --out FILE",
    )


# ---------------------------------------------------------------------- dev


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """A course that `kata dev new` has begun."""
    folder = write(tmp_path_factory.mktemp("begun"), {"exercises": FOLDER})
    kata("dev", "new", "scaled", "--course", folder, cwd=folder)
    return folder


def test_a_new_exercise_has_a_stub_and_a_solution(begun):
    files = {str(file.relative_to(begun)) for file in begun.rglob("*.*") if "__pycache__" not in file.parts}
    assert files == {
        "exercises/scaled.py",
        "solutions/catalogue.py",
        "solutions/course.toml",
        "solutions/scaled.py",
    }


def test_the_course_of_a_new_exercise_is_proved_as_it_stands(begun):
    run = kata("dev", "check", "--seeds", 1, "--jobs", 1, "--course", begun, cwd=begun)
    said = run.stdout.splitlines()[-1]
    assert (run.returncode, said) == (0, "1 seeds: 1 of 1 mistakes caught and named; everything holds.")


def test_a_stub_that_passes_is_a_problem_of_the_course(tiny, tmp_path):
    course = write(shutil.copytree(tiny, tmp_path / "course"), {"exercises/double.py": DOUBLE})
    run = kata("dev", "check", "double", "--seeds", 1, "--jobs", 1, "--course", course, cwd=course)
    assert (run.returncode, "  double: the stub earns 1 points\n" in run.stdout) == (1, True)


def test_a_second_exercise_goes_into_a_topic_that_is_there(begun, tmp_path):
    course = shutil.copytree(begun, tmp_path / "begun")
    before = {name: (course / name / "scaled.py").read_text() for name in ("exercises", "solutions")}
    run = kata("dev", "new", "again", "--topic", "scaled", "--course", course, cwd=course)
    assert (run.returncode, run.stderr) == (0, "")
    stub, solution = ((course / name / "scaled.py").read_text() for name in before)
    assert stub.startswith(before["exercises"] + "\n\ndef again(x: Tensor) -> Tensor:\n")
    assert solution.endswith("\nEXERCISES = (SCALED, AGAIN)\n")
    assert (course / "solutions" / "course.toml").read_text().count("scaled") == 1
    run = kata("dev", "check", "--seeds", 1, "--jobs", 1, "--course", course, cwd=course)
    assert (run.returncode, "1 seeds: 2 of 2 mistakes caught and named; everything holds." in run.stdout) == (0, True)


def test_a_file_of_an_author_gets_the_imports_that_it_lacks(begun, tmp_path):
    course = shutil.copytree(begun, tmp_path / "begun")
    solution = course / "solutions" / "scaled.py"
    text = solution.read_text().replace("Case, Check, Mechanism, Script, Solution, call", "Check, Solution, call")
    solution.write_text(text.replace("EXERCISES = (SCALED,)", "EXERCISES = ()"))
    assert kata("dev", "new", "again", "--topic", "scaled", "--course", course, cwd=course).returncode == 0
    first = solution.read_text().splitlines()
    assert first[2:4] == [
        "from attention_kata.authoring import Check, Solution, call",
        "from attention_kata.authoring import Case, Mechanism, Script",
    ]
    assert first[-1] == "EXERCISES = (AGAIN,)"


def test_a_new_exercise_does_not_take_the_place_of_another(begun):
    before = (begun / "solutions" / "scaled.py").read_text()
    run = kata("dev", "new", "scaled", "--course", begun, cwd=begun)
    stub = begun / "exercises" / "scaled.py"
    assert (run.returncode, run.stderr) == (2, f"kata: {stub} already has scaled: choose another name\n")
    assert (begun / "solutions" / "scaled.py").read_text() == before


@pytest.mark.parametrize("topic", ["random", "torch", "catalogue"])
def test_a_topic_does_not_hide_a_module(topic, begun):
    run = kata("dev", "new", "other", "--topic", topic, "--course", begun, cwd=begun)
    assert (run.returncode, run.stderr) == (
        2,
        f"kata: {topic}.py would hide the module {topic}: choose another name with --topic\n",
    )


def test_an_exercise_needs_a_python_name(begun):
    run = kata("dev", "new", "3-heads", "--course", begun, cwd=begun)
    assert (run.returncode, run.stderr) == (2, "kata: '3-heads' is not a Python name: use letters, digits and _\n")


def test_a_secret_key_does_not_take_the_place_of_the_public_one(tiny):
    run = kata("dev", "key", "--secret", "--course", tiny, cwd=tiny)
    assert (run.returncode, run.stderr.splitlines()[-1]) == (
        2,
        "Error: --secret needs --out FILE: the public key must not be overwritten with a secret one.",
    )


def test_the_matrix_shows_which_check_catches_which_mistake(tiny):
    run = kata("dev", "matrix", "double", "--course", tiny, cwd=tiny)
    lines = [line.strip() for line in run.stdout.splitlines()]
    assert (run.returncode, "not-doubled   ×" in lines, "1 values: catches 1, 1 of them alone" in lines) == (
        0,
        True,
        True,
    )


def test_a_solution_that_cannot_be_imported_is_told_with_its_line(tiny, tmp_path):
    course = shutil.copytree(tiny, tmp_path / "course")
    write(course, {"solutions/double.py": "import torch\n\nEXERCISES = (unknown,)\n"})
    run = kata("dev", "key", "--course", ".", cwd=course)
    assert (run.returncode, run.stderr.splitlines()) == (
        2,
        [DRAWING, "kata: solutions/double.py, line 3: NameError: name 'unknown' is not defined"],
    )


def test_a_course_without_exercises_is_refused_in_one_line(tmp_path):
    run = kata("list", "--course", ".", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (
        2,
        "kata: . has no folder exercises/: --course takes the folder that holds one\n",
    )


def test_a_course_without_a_key_says_how_to_draw_one(tmp_path):
    write(tmp_path, {"exercises": FOLDER})
    run = kata("list", "--course", ".", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (
        2,
        "kata: public.key.safetensors cannot be read: No such file or directory. "
        "Draw a key with: kata dev key --out FILE\n",
    )
