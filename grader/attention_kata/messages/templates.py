"""Every message about a submission: its text, and what of it a student may read where the answer key is secret.

A text names its slots in braces; a part in brackets is left out where a slot of it is empty, or is not for this
reader.  `{Name}` is `{name}` with a capital.  What kind of thing a slot holds follows from its name, see KINDS.

Three audiences read a message.  A *learner* checks their own work with the public key and reads all of it; an
*instructor* reads all of it about somebody else; the *public* text is what a student reads about work that was
graded with a secret key: their code has seen the secret inputs, so that nothing which it can write into (the text
of an exception, the name of a class) and no number of the key gets through.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Audience(StrEnum):
    """Who reads."""

    LEARNER = "learner"
    INSTRUCTOR = "instructor"
    PUBLIC = "public"


class Kind(StrEnum):
    """What a slot holds, which decides what of it may be public."""

    COURSE = "course"  # words of the course: anybody may read them
    COUNT = "count"  # a number from the exercise's contract
    ERROR = "error"  # the name of an exception: public where it is Python's own
    TYPE = "type"  # the name of a type: public where it is a common one
    TORCH = "torch"  # a dtype or layout: public where it is torch's own
    PLACE = "place"  # public where it is in a file of the course
    SECRET = "secret"  # a number of the key, or what a submission made of it
    TEXT = "text"  # what a submission can write into


KINDS = {
    Kind.COURSE: "result results exercise file function axis other_axis axes mistakes question inner when first second "
    "span files answer",
    Kind.COUNT: "count limit type_name line done percent before lost points",
    Kind.ERROR: "error expected_error",
    Kind.TYPE: "type types",
    Kind.TORCH: "dtype expected_dtype layout",
    Kind.PLACE: "place",
    Kind.SECRET: "number index held size expected_size found expected found_shape expected_shape shapes differing "
    "total fewer more megabytes seconds device expected_device signal where weight query key keys lead cause parts "
    "missing layers changed reasons call given most least",
    Kind.TEXT: "text shown holder signature name chosen others",
}
KIND_OF = {slot: kind for kind, slots in KINDS.items() for slot in slots.split()}


@dataclass(frozen=True)
class Template:
    """`plural` is `text` where the slot `count` is not 1.

    `public` is what a student reads where the key is secret, None for the same, "" where nothing can be said;
    `instructor` what somebody else's instructor reads, None for the same as the learner.
    """

    text: str
    public: str | None = None
    instructor: str | None = None
    plural: str = ""
    public_plural: str = ""


T = Template

NAMES = {
    "and": T("{first} and {second}"),
    "the-result": T("the result"),
    "gradient-of": T("the gradient of {inner}"),
    "a-type": T("a {type_name}"),
    "an-type": T("an {type_name}"),
    "type-none": T("None"),
    "type-array": T("a numpy array"),
    "type-tensor": T("a tensor"),
    "nothing": T("nothing"),
    "another-type": T("something else"),
    "an-exception": T("An exception"),
    "unnamed-exception": T("An exception without a name"),
    "line-of-file": T("{file}[, line {line}]"),
    "line-of-cell": T("cell {count}[, line {line}]"),
    "member-of": T("{name} in {holder}"),
    "typed-into-moodle": T("the text typed into Moodle"),
}

WHEN = {
    "when-build": T(", while the module was being built"),
    "when-backward": T(", in the backward pass"),
    "when-second call": T(", in a second call with the same inputs"),
    "when-import": T(", while the file was being imported"),
}

WHAT_HAPPENED = {
    "text": T("{text}", public=""),
    "not-started": T("Not started yet: the body of {exercise} is still the stub's."),
    "raised": T("{error}[ in {place}][{when}][: {text}]", public="{error}[ in {place}][{when}]."),
    "should-raise": T("It should raise {expected_error} here. {inner}"),
    "out-of-memory": T(
        "Out of memory[ in {place}][{when}][ (limit {limit} MB)][: {text}]",
        public="Out of memory[ in {place}][{when}][ (limit {limit} MB)].",
    ),
    "out-of-memory-asked": T(
        "Out of memory[ in {place}][{when}][ (limit {limit} MB)]: it asked for {megabytes} MB more",
        public="Out of memory[ in {place}][{when}][ (limit {limit} MB)].",
    ),
    "asked-to-exit": T("The program was asked to exit[ in {place}][{when}]."),
    "no-forward": T("The module has no forward method."),
    "not-written": T("Not written yet: {place}.", public="Not written yet."),
    "import-unfinished": T("Importing {file} did not finish: {cause}.", public="Importing {file} did not finish."),
    "import-ended-python": T(
        "The Python process ended while {file} was being imported: {cause}.",
        public="The Python process ended while {file} was being imported.",
    ),
    "unfinished": T("It did not finish: {cause}.", public="It did not finish within the time limit."),
    "ended-python": T("The Python process ended: {cause}.", public="The Python process ended while this ran."),
    "not-run": T("This check could not be run; that is not your fault."),
    "hidden-calls": T(
        "Not checked: {function} ({name}) hides which functions are called.",
        public="Not checked: something in your code hides which functions are called.",
    ),
}

CAUSES = {
    "stopped": T("it was stopped after {seconds} s", ""),
    "processor-time": T("it used more than {seconds} s of processor time", ""),
    "reply-not-understood": T("its reply was not understood: {text}", ""),
    "crashed-by": T("crashed by {signal}[ in {exercise}]", ""),
    "killed": T("ended by SIGKILL[ in {exercise}]", ""),
    "exited-early": T("exited early[ in {exercise}], by os._exit or something similar", ""),
    "no-memory": T("out of memory[ in {exercise}]: {inner}", ""),
    "system-had-none": T("the system had none left[ (limit {limit} MB)]", ""),
    "allocation-failed": T("an allocation failed[ (limit {limit} MB)]", ""),
    "had-used": T("it had used {megabytes} MB[ (limit {limit} MB)]", ""),
}

WHAT_CAME_BACK = {
    "returns-none": T("It returns None[ as {result}]."),
    "result-count": T(
        "It should return {count} result ({results}); it returned {number}: {types}.",
        plural="It should return {count} results ({results}); it returned {number}: {types}.",
        public="It should return {results}; it returned another number of results.",
        public_plural="It should return {results}; it returned another number of results.",
    ),
    "result-type": T("It returns {type}[ as {result}]; a torch tensor was expected."),
    "layout": T("{Result}: the layout is {layout}; a dense tensor was expected."),
    "dtype": T("The dtype of {result} is {dtype}; {expected_dtype} was expected."),
    "dtype-only": T("The numbers are right, but the dtype of {result} is {dtype}; {expected_dtype} was expected."),
    "shape": T("The shape of {result} is not the expected one[: {inner}]."),
    "not-finite": T("Some numbers in {result} are not finite."),
    "other-numbers": T("{Result}: the shape is right, but the numbers are not the expected ones."),
    "right-without-mask": T("Right in every case without a mask, and wrong only with one."),
    "right-with-mask": T("Right in every case with a mask, and wrong only without one."),
    "right-same-length": T("Right in every case with as many queries as keys, and wrong only where T and S differ."),
    "right-other-length": T("Right in every case where T and S differ, and wrong only where they are the same."),
    "right-up-to-keys": T(
        "Right in every case with at most {most} keys, wrong in every case with {least} or more.",
        public="Right in every case with few keys, wrong in every case with more.",
    ),
    "right-up-to-queries": T(
        "Right in every case with at most {most} queries, wrong in every case with {least} or more.",
        public="Right in every case with few queries, wrong in every case with more.",
    ),
    "first-right-sample": T("{Result}: the first sample is right, and every other one has wrong numbers."),
    "first-wrong-sample": T("{Result}: the first sample has wrong numbers, and every other one is right."),
    "last-wrong-sample": T("{Result}: the last sample has wrong numbers, and every other one is right."),
    "first-right-head": T("{Result}: the first head is right, and every other one has wrong numbers."),
    "first-wrong-head": T("{Result}: the first head has wrong numbers, and every other one is right."),
    "last-wrong-head": T("{Result}: the last head has wrong numbers, and every other one is right."),
    "first-right-token": T("{Result}: the first token is right, and every other one has wrong numbers."),
    "first-wrong-token": T("{Result}: the first token has wrong numbers, and every other one is right."),
    "last-wrong-token": T("{Result}: the last token has wrong numbers, and every other one is right."),
    "no-gradient": T("No gradient reaches {result}."),
    "not-raised": T("It should raise {expected_error} here and did not."),
    "changes-input": T(
        "It changes {changed}, which belongs to the caller.",
        public="It changes an input, which belongs to the caller.",
    ),
    "call-differs": T("A second call with the same inputs gives a different result."),
    "module-differs": T("A second module with the same weights gives a different result."),
    "other-device": T(
        "{Result}: a tensor on the device {device} was returned; the inputs are on {expected_device}.",
        public="{Result}: the device is not that of the inputs.",
    ),
    "made-on-cpu": T("A tensor is made on the CPU even when the inputs are elsewhere; on a GPU this would fail."),
    "operations-grow": T(
        "The number of operations grows with the input: {fewer} for the small one, {more} for the large one. "
        "There is a loop over samples or heads.",
        public="The number of operations grows with the input. There is a loop over samples or heads.",
    ),
    "calls-forbidden": T("It calls {function}, the very thing this exercise is about."),
    "void": T(
        "{exercise} calls torch's {function}[ in {place}]: that is the part to write by hand, so it earns nothing here."
    ),
}

RELATIONS = {
    "axes-exchanged": T("The numbers are right, but {axes} are swapped."),
    "averaged": T("This is the right result averaged over {axis}."),
    "summed": T("This is the right result summed over {axis}."),
    "reshaped": T("The numbers are right and in the right order; only the shape differs."),
    "factor": T("Every number is {number} times what it should be.", public="Every number is off by the same factor."),
    "offset": T("Every number is off by the same {number}.", public="Every number is off by the same amount."),
    "all-equal": T("All numbers in {result} are the same."),
    "all-number": T("Every number in {result} is {number}.", public="All numbers in {result} are the same."),
    "all-one": T("Every number in {result} is 1.", public="All numbers in {result} are the same."),
    "rows-alike": T("All rows of {result} are the same."),
    "sums": T("Rows of {result} do not add up to 1."),
    "reversed": T("The numbers are right, but in reverse order along {axis}."),
    "mask-inverted": T("True and False are swapped everywhere."),
    "mask-false": T(
        "{number} positions that should be True are False; none is True that should not be.",
        public="Some positions that should be True are False; none is True that should not be.",
    ),
    "mask-true": T(
        "{number} positions that should be False are True; none is False that should not be.",
        public="Some positions that should be False are True; none is False that should not be.",
    ),
    "shape-swapped": T(
        "axis {index} holds {other_axis} = {size} where {axis} = {expected_size} was expected: "
        "{axis} and {other_axis} are swapped",
        public="{axis} and {other_axis} are swapped",
    ),
    "shape-reordered": T("the axes are right but in another order: expected {axes}"),
    "shape-axis": T("axis {index} holds {held} where {axis} = {expected_size} was expected", ""),
    "axis-of-size": T("{axis} = {size}", ""),
    "shape-ones": T("only axes of size 1 differ"),
    "shape-missing": T("the axis {axis} is missing"),
}

REFUSALS = {
    "no-function": T("There is no function named {exercise} in {file}."),
    "no-class": T("There is no class named {exercise} in {file}."),
    "function-unwritten": T("{file} has no function named {exercise} yet."),
    "class-unwritten": T("{file} has no class named {exercise} yet."),
    "function-misspelled": T(
        "There is no function named {exercise} in {file}; did you mean {name}, in {place}?",
        public="There is no function named {exercise} in {file}.",
    ),
    "class-misspelled": T(
        "There is no class named {exercise} in {file}; did you mean {name}, in {place}?",
        public="There is no class named {exercise} in {file}.",
    ),
    "defined-inside": T(
        "{exercise} is defined inside {name}, in {place}: from outside it cannot be called.",
        public="{exercise} is defined inside something else: from outside it cannot be called.",
    ),
    "class-for-function": T("{exercise} is a class; a function was expected."),
    "function-for-class": T("{exercise} is a function; a class was expected."),
    "not-a-function": T("{exercise} is {type}; a function was expected.", public="{exercise} is not a function."),
    "not-a-class": T("{exercise} is {type}; a class was expected.", public="{exercise} is not a class."),
    "signature": T(
        "The exercise calls it with {count} argument; found {signature}: {text}.",
        plural="The exercise calls it with {count} arguments; found {signature}: {text}.",
        public="The exercise calls it with {count} argument; your def line does not accept that.",
        public_plural="The exercise calls it with {count} arguments; your def line does not accept that.",
    ),
    "not-a-module": T("{exercise} is not an nn.Module."),
    "made-no-module": T(
        "{exercise}(...) returned {type}; an nn.Module was expected.", public="{exercise} is not an nn.Module."
    ),
    "layers": T("{Parts}.", public="Its layers do not have the names or the sizes that the exercise asks for."),
    "layers-missing": T("these parameters are missing: {missing} (found: {layers})", ""),
    "layers-all-missing": T("these parameters are missing: {missing} (found: no parameters at all)", ""),
    "layer-shape": T("{name} has shape {found_shape} where {expected_shape} was expected", ""),
    "could-not-run": T("It could not be run: {text}.", public="It could not be run as the exercise asks."),
}

MISTAKES = {
    "mistakes": T("{mistakes}"),
    "mistakes-likely": T("This looks like: {mistakes}"),
    "fact-then": T("{first} {second}"),
    "mistakes-either": T("One of two things: {first} Or: {second}"),
    "question": T("{question}"),
    "and-also": T("{first} And: {second}"),
}

EVIDENCE = {
    "shapes-returned": T("shapes returned: {shapes}", ""),
    "shapes": T("{result} has shape {found_shape}; expected {expected_shape}", ""),
    "nan-at": T("{differing} of {total} are NaN, the first at {where}", ""),
    "infinite-at": T("{differing} of {total} are infinite, the first at {where}", ""),
    "first-mismatch": T("{result} at {where}: expected {expected}, found {found} ({differing} of {total} differ)", ""),
    "example": T("{result}: yours gives {given}, it should give {answer}", "{result}: it should give {answer}"),
    "with-inputs": T("in {call}[: {inner}]", ""),
    "only-position": T("the only position", ""),
    "sample": T("sample {index}", ""),
    "head": T("head {index}", ""),
    "sees-no-key": T(
        "[in {lead}, ]query {query} may see no key; it gave key {key} a weight of {weight} (expected 0)", ""
    ),
    "sees-one-key": T(
        "[in {lead}, ]query {query} may see key {keys}; it gave key {key} a weight of {weight} (expected 0)", ""
    ),
    "sees-keys": T(
        "[in {lead}, ]query {query} may see keys {keys}; it gave key {key} a weight of {weight} (expected 0)", ""
    ),
}

HINTS = {
    "hint-start": T("Read the docstring in {file}, then write a first line; `kata hint {exercise}` gives a nudge."),
    "hint-return": T("Is there a return statement at the end, and is it inside the function?"),
    "hint-alone": T("Run this call alone in a Python session to see why."),
    "hint-too-large": T("How many numbers does the largest tensor hold here? Does anything grow in a loop?"),
    "hint-loop": T("Is there a loop whose condition never becomes false?"),
    "hint-loop-outside": T("Is there a loop outside the functions whose condition never becomes false?"),
    "hint-ends-outside": T("Which line outside the functions ends the program?"),
    "hint-return-line": T("Compare your return line with the exercise's first lines."),
    "hint-tensor": T("Where did it stop being a tensor?"),
    "hint-dense": T("Which call leaves out the zeros?"),
    "hint-dtype": T("Which line makes a tensor without saying its dtype?"),
    "hint-shapes": T("Write the shape of each intermediate tensor beside its line."),
    "hint-finite": T("Which step divides 0 by 0, subtracts infinity from infinity, or overflows?"),
    "hint-formula": T("Look for the step that does this, and ask whether the formula has it."),
    "hint-root": T("Print it after every step: where is it like this for the first time?"),
    "hint-beyond-example": T(
        "The prompt's example comes out right. What is different here: the sizes, the mask, the size of the numbers?"
    ),
    "hint-pattern": T("What do these inputs have that the others have not? Follow one of each through your code."),
    "hint-part": T("Which line treats that part differently from the others? Print it for both."),
    "hint-example": T("Work the stub's small example through by hand and print every step."),
    "hint-gradient": T("Which step on the way to the result forgets where its numbers came from?"),
    "hint-arguments": T("Which arguments does the exercise say must be refused?"),
    "hint-in-place": T("Which line writes into a tensor it was given instead of making a new one?"),
    "hint-left-over": T("What is left over from the first call, or random?"),
    "hint-weights": T("Which number does not come from the weights that were loaded?"),
    "hint-names-device": T("Which line names a device?"),
    "hint-device": T("On which device is each new tensor born?"),
    "hint-at-once": T("Which operation of torch would treat all of them at once?"),
    "hint-by-hand": T("Write out what that function does, step by step."),
    "hint-without": T("What would you write without it?"),
    "hint-exit": T("Remove the call that exits."),
    "hint-forward": T("Is it called forward, and is it indented as a method of the class?"),
    "hint-not-written": T("What belongs there, in place of that line?"),
    "hint-print": T("Print what that line works with, shapes first, just before it."),
    "hint-syntax": T("Python cannot read the file from there on: look at this line and at the one above it."),
    "hint-tabs": T("Indent with spaces only: most editors can turn tabs into spaces."),
    "hint-modules": T("Only torch, the standard library and your own files can be imported."),
    "hint-import": T("Is the name spelled as in the file it comes from?"),
    "hint-reset": T(
        "Was it renamed or indented by accident? `kata reset {file}` brings the stub back and keeps a copy of what "
        "you have."
    ),
    "hint-stub": T("`kata reset {file}` brings the stub back and keeps a copy of what you have."),
    "hint-spelling": T("Compare the two names letter by letter."),
    "hint-indented": T("How far is its first line indented, and how far in the stub?"),
    "hint-def-or-class": T("Does the stub begin it with def or with class?"),
    "hint-twice": T("Is the name used twice?"),
    "hint-def": T("Compare your def line with the exercise's."),
    "hint-brackets": T("What is in the brackets after its name in the stub?"),
    "hint-base": T("Keep it a class with `nn.Module` as its base."),
    "hint-layers": T(
        "Which layers does the exercise name, with which sizes, and does the module know that it owns them?"
    ),
}

# What keeps a file from being run.  `shown` is what the student calls it, `file` the topic file that it stands for.
FILES = {
    "file-missing": T("{shown} is missing from {holder}.", public="{file} was not handed in."),
    "file-is-folder": T("{shown} is a folder; a file was expected.", public="{file} is a folder; a file was expected."),
    "file-special": T("{shown} is not a regular file.", public="{file} is not a regular file."),
    "file-link": T(
        "{shown} is a link that leads out of the folder.", public="{file} is a link that leads out of the folder."
    ),
    "file-large": T("{shown} is larger than {limit} MB.", public="{file} is larger than {limit} MB."),
    "file-nul": T("{shown} holds a NUL byte on line {line}.", public="{file} holds a NUL byte on line {line}."),
    "file-encoding": T(
        "{shown} is not UTF-8 text: see line {line}.", public="{file} is not UTF-8 text: see line {line}."
    ),
    "file-empty": T("{shown} is empty.", public="{file} is empty."),
    "not-read": T("{inner}", public="Your submission could not be read."),
    "file-refused": T("{shown} {inner}.", public="What you handed in for {file} {inner}."),
    "notebook-syntax": T(
        "{error} in {place}: {text}[ in `{shown}`]",
        public="{error}[ in {place}]: Python cannot read the code of that cell.",
    ),
    "notebook-unparsed": T("Cell {count} cannot be parsed: {text}.", public="Cell {count} cannot be parsed."),
    "notebook-needs": T(
        "{exercise} in cell {count} cannot be defined: it needs {text}.",
        public="{exercise} in cell {count} cannot be defined: something that it needs is missing.",
    ),
}

# What is wrong with a file, after its name.
WRONG_WITH_IT = {
    "missing": T("is missing"),
    "is-folder": T("is a folder"),
    "is-special": T("is not a regular file"),
    "is-link": T("is a link that leads out of the folder"),
    "cannot-be-read": T("cannot be read[: {text}]"),
    "too-large": T("is larger than {limit} MB"),
    "too-much-code": T("holds more than {limit} MB of code"),
    "too-many-cells": T("has more than {limit} cells"),
    "submission-too-large": T("was not read: the submission holds more than {limit} MB"),
    "other-language": T("is a notebook in {name}; a Python notebook was expected", public="is not a Python notebook"),
    "no-cells": T("is not a notebook: it has no cells"),
    "no-code": T("holds no code"),
    "not-utf8": T("is not a notebook: it is not UTF-8 text"),
    "not-json": T("is not a notebook: it is not JSON"),
    "damaged": T("is damaged: the archive does not hold what it declares"),
    "members-overlap": T("is damaged: its members overlap"),
    "no-archive": T("is damaged or not an archive"),
    "neither-zip-nor-tar": T("is neither a zip nor a tar"),
    "too-many-members": T("holds more than {limit} members"),
    "unpacks-too-large": T("unpacks to more than {limit} MB"),
}

# Why a member of an archive is left out.
MEMBERS = {
    "member-left-out": T("{shown} in {holder}: {inner}; left out."),
    "member-link": T("a link"),
    "member-device": T("a device or a pipe"),
    "member-sparse": T("a sparse file"),
    "member-encrypted": T("encrypted"),
    "member-packed": T("packed in a way that is not read here (only store and deflate are)"),
    "member-grows": T("unpacks to more than {limit} times its size"),
    "member-both": T("a file and a folder of the same name"),
    "member-again": T("an earlier member of the same name (the last one counts)"),
    "member-absolute": T("an absolute path"),
    "member-outside": T("a path that leads out of the archive"),
    "member-nameless": T("a member without a name"),
    "member-nul": T("a name with a NUL byte"),
    "member-not-utf8": T("a name that is not UTF-8"),
    "member-long": T("a name that is too long"),
    "member-archive": T("an archive in an archive"),
}

# What was chosen or left out of what one student handed in, and why nothing was graded: for the instructor.
NOTES = {
    "left-out": T("{shown} {inner}; left out."),
    "archive-left-out": T("{shown} {inner}; left out. A zip of Python files was expected."),
    "archives-left-out": T("{shown}: more than {limit} archives; left out."),
    "one-of-several": T("{file} occurs {number} times: {chosen} is graded, not {others}."),
    "in-notebook": T("{shown}: {inner}"),
    "and-more": T("and {number} more like these."),
    "reasons": T("{reasons}"),
    "holds-none": T("{shown} holds none of {files}"),
    "nothing-found": T("Nothing was found at {shown}."),
    "unread-kind": T("{shown} is of a kind that is not read here: a .zip was expected."),
    "typed-unread": T("{shown} is text typed into Canvas, which is not read: ask for a file."),
    "folder-not-exported": T("The folder {shown} is missing from the export."),
}

# What was left out of what holds a class, or taken for granted: for the instructor.
CLASS_NOTES = {
    "class-link": T("{shown} is a link, not a folder or file of its own: left out."),
    "class-special": T("{shown} is neither a folder nor a regular file: left out."),
    "class-stray": T("{shown} is in no student's folder: left out."),
    "class-folder": T("{shown} is a folder: left out."),
    "class-folder-without": T("{shown} is a folder without a Python file, notebook or archive: left out."),
    "class-no-answer": T("{shown} is not a Python file, notebook or archive: left out."),
    "class-mixed": T(
        "each folder and each file is taken for one student ({number} and {total}): --layout folders or --layout files "
        "takes only those."
    ),
    "class-more": T("... and {number} more of these."),
    "canvas-folder": T("{shown} is a folder, which Canvas does not make: left out."),
    "canvas-stray": T("{shown} is not a file of a submission: left out."),
    "canvas-typed": T("{shown} is text typed into Canvas: left out."),
    "canvas-older": T("{shown} is older than {chosen}: left out."),
    "classroom-assignment": T("The assignment is taken to be {name}, and the rest to be user names."),
    "classroom-unnamed": T("unnamed"),
    "classroom-stray": T("{shown} does not begin with {name}: left out."),
    "gradescope-undescribed": T("{shown} in {file} is not described as a submission: left out."),
    "gradescope-unlisted": T("{shown} is not in {file}: left out."),
    "gradescope-nobody": T("{shown} has no submitters in {file}: left out."),
    "moodle-stray": T("{shown} is not named as Moodle names its exports: left out."),
    "nbgrader-without": T("{shown} has no folder {name}: left out."),
}

FILE_HINTS = {
    "hint-restore": T("`kata reset {file}` brings the stub back."),
    "hint-rename-folder": T("Rename the folder, then `kata reset {file}` brings the stub back."),
    "hint-rename": T("Rename it, then `kata reset {file}` brings the stub back."),
    "hint-put-file": T("Put the file itself there."),
    "hint-only-source": T("Only Python source belongs in it."),
    "hint-plain-text": T("Save it as plain UTF-8 text."),
    "hint-encoding": T("Save it as UTF-8."),
    "hint-permissions": T("Check its permissions."),
    "hint-clear-output": T("Clear its output, then hand it in again."),
    "hint-repair-cell": T("Fix the cell, restart the kernel, run all cells, then hand it in again."),
    "hint-definitions": T("Only definitions, imports and simple constants of a notebook are graded."),
    "hint-again": T("Hand it in again.", instructor="Ask for it to be handed in again."),
}

# Where nothing else can be said of a check: by its verdict.
IN_GENERAL = {
    "general-failed": T("The result is not the expected one."),
    "general-error": T("Your code could not be run to the end."),
    "general-timeout": T("It did not finish within the time limit."),
    "general-crashed": T("The Python process ended while this ran."),
    "general-skipped": T("Something before this has to work first."),
    "general-ungradable": T("This check could not be run; that is not your fault."),
}

VERDICTS = {
    "verdict-passed": T("passed"),
    "verdict-failed": T("not yet"),
    "verdict-error": T("stopped with an error"),
    "verdict-timeout": T("did not finish"),
    "verdict-crashed": T("ended the Python process"),
    "verdict-skipped": T("not checked"),
    "verdict-ungradable": T("could not be graded"),
    "given-by-hand": T("{inner}, points given by hand"),
}

# What a student reads about a submission as a whole.
SUBMISSIONS = {
    "status-missing": T("Nothing from you has arrived here. If you did hand something in, tell your instructor."),
    "status-unreadable": T(
        "Your submission could not be read, so it has not been graded. Your instructor can tell you why."
    ),
    "status-ungradable": T(
        "The grader could not do its part. That is not your fault and costs you no points: your work will be graded "
        "again."
    ),
    "status-waiting": T("Your work has arrived and has not been graded yet."),
    "opening-complete": T("Everything is right. Well done."),
    "opening-nothing": T("Below is what stands in the way. Take one exercise at a time, from the top."),
    "opening-some": T("{done} of {count} exercises are complete. For the others, take one at a time, from the top."),
    "late-free": T("Handed in {span} after the due date, which costs nothing."),
    "late-costs": T(
        "Handed in {span} after the due date: {percent} of the points are taken off. {before} points minus {lost} "
        "leaves {points}."
    ),
    "span": T("{first}[ {second}]"),
    "span-week": T("{count} week", plural="{count} weeks"),
    "span-day": T("{count} day", plural="{count} days"),
    "span-hour": T("{count} hour", plural="{count} hours"),
    "span-minute": T("{count} minute", plural="{count} minutes"),
    "span-moment": T("less than a minute"),
    "total-by-hand": T("The total was set by hand to {points} points."),
    "says-more": T("`kata check` on your own machine tells you more."),
    "skipped-elsewhere": T("Skipped: another check of this exercise says why."),
    "sure-exact": T("Your numbers are exactly what this mistake gives."),
    "sure-error": T("This is the error that this mistake gives."),
    "sure-either": T("Both look the same here."),
}

TEMPLATES = (
    NAMES | WHEN | WHAT_HAPPENED | CAUSES | WHAT_CAME_BACK | RELATIONS | REFUSALS | MISTAKES | EVIDENCE | HINTS | FILES
    | WRONG_WITH_IT | MEMBERS | NOTES | CLASS_NOTES | FILE_HINTS | IN_GENERAL | VERDICTS | SUBMISSIONS
)  # fmt: skip
