"""Submissions: whose they are, and what of their code answers an exercise; nothing that is in one raises."""

import ast
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linebyline.exercises import registry
from linebyline.grading.assignment import Task
from linebyline.grading.cells import LARGEST, read_cells, texts_of
from linebyline.grading.submission import answers_in, files_in, find_submissions, groups
from tests.few import few

AVERAGE = "def weighted_average(weights, values):\n    return np.average(values, axis=0, weights=weights)\n"


def task(id: str) -> Task:
    return Task(registry()[id], 1.0, "all", (), ())


SOFTMAX = task("attention.softmax")


def cells_of(folder: Path, *sources: str, suffix: str = ".ipynb"):
    """Read a file with these code cells."""
    file = folder / f"ada{suffix}"
    if suffix == ".ipynb":
        cells = [{"cell_type": "code", "source": source.splitlines(keepends=True)} for source in sources]
        text = json.dumps({"cells": [{"cell_type": "markdown", "source": "def no(:"}, *cells], "nbformat": 4})
    elif suffix == ".md":
        text = "# Mine\n\n" + "\n".join(f"```{{code-cell}} ipython3\n:tags: [x]\n{source}\n```\n" for source in sources)
    else:
        text = "\n".join(f"# %%\n{source}" for source in sources)
    file.write_text(text, encoding="utf-8")
    return read_cells(file)


def run(code: str) -> dict:
    names: dict = {}
    exec(code, names)
    return names


def touch(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x = 1")


def test_the_student_is_the_file_or_the_folder(tmp_path):
    touch(tmp_path, "ada.ipynb", "bob/hw/a1.py", "Eve Lee_17_assignsubmission_file/x.md", "lee_LATE_18_4711_a1.ipynb")
    touch(tmp_path, ".hidden.py", "grades.csv", "README.md", "ada.PDF")
    touch(tmp_path, "bob/.ipynb_checkpoints/a1.ipynb", "bob/README.md", "bob/a.zip")
    (tmp_path / "zoe").mkdir()
    os.symlink(tmp_path / "ada.ipynb", tmp_path / "mallory.ipynb")
    os.symlink(tmp_path / "ada.ipynb", tmp_path / "zoe" / "mine.ipynb")
    found = find_submissions(tmp_path)
    assert list(found) == ["17", "18", "ada", "bob", "zoe"]
    assert {path.name for student in ("ada", "bob") for path in found[student]} == {"ada.ipynb", "a1.py"}
    assert found["zoe"] == files_in(tmp_path / "zoe") == []


@pytest.mark.parametrize("name", ["ada.zip", "ada.Docx", "ada/work.7z", "ada/a/b.html"])
def test_what_is_not_read_has_a_row_and_a_remark(tmp_path, name):
    touch(tmp_path, name)
    assert find_submissions(tmp_path) == {"ada": [tmp_path / name]}
    cells = read_cells(tmp_path / name)
    assert cells.statements == ()
    assert cells.problems == (f"{Path(name).name} is not read: hand in a file that ends in .ipynb, .py, .md",)


@pytest.mark.parametrize("suffix", [".IPYNB", ".Md", ".PY"])
def test_capitals_in_an_ending_change_nothing(tmp_path, suffix):
    cells, lower = cells_of(tmp_path, AVERAGE, suffix=suffix.lower()), tmp_path / f"ada{suffix.lower()}"
    texts = texts_of(lower)
    upper = lower.rename(tmp_path / f"bob{suffix}")
    assert find_submissions(tmp_path) == {"bob": [upper]}
    assert list(map(ast.unparse, read_cells(upper).statements)) == list(map(ast.unparse, cells.statements))
    assert texts_of(upper) == texts


def test_a_folder_without_submissions_is_refused(tmp_path):
    with pytest.raises(ValueError, match="expected a folder"):
        find_submissions(tmp_path / "none")
    with pytest.raises(ValueError, match="found no folder and no file"):
        find_submissions(tmp_path)


@pytest.mark.parametrize("suffix", [".ipynb", ".py", ".md"])
def test_each_form_gives_the_same_code(tmp_path, suffix):
    cells = cells_of(tmp_path, "import numpy as np", AVERAGE, suffix=suffix)
    answers = answers_in(cells, [task("attention.weighted_average")])
    assert cells.problems == ()
    assert answers.entries == {"attention.weighted_average": "weighted_average"}
    assert answers.uses == {"attention.weighted_average": ["np.average"]}
    assert run(answers.code)["weighted_average"]([1, 3], [0.0, 4.0]) == 3


def test_only_what_an_answer_needs_is_kept(tmp_path):
    cells = cells_of(
        tmp_path,
        "import numpy as np\nimport torch\nfrom linebyline import figures",
        "scale = {}\nscale['x'] = 2\nunits = []\nunits.append('m')\nvalues = np.zeros(10**12)",
        "def helper(x):\n    values = x\n    return scale['x'] * values, units\n\ndef softmax(z): return helper(z)",
        "figures.show(softmax)\nprint(softmax)",
    )
    code = answers_in(cells, [SOFTMAX]).code
    assert run(code)["softmax"](3) == (6, ["m"])
    for left_out in ("figures", "print", "torch", "zeros"):
        assert left_out not in code


def test_what_check_was_given_counts(tmp_path):
    cells = cells_of(
        tmp_path,
        'def mine(z):\n    return z\nshares = [36, 9]\ncheck("attention.softmax", mine)',
        'check("attention.doubled", shares + [1])\nexercises.check("attention.doubled", [0, *shares])',
    )
    answers = answers_in(cells, [task("attention.softmax"), task("attention.doubled")])
    names = run(answers.code)
    assert names["softmax"](5) == 5
    assert names["doubled"] == [0, 36, 9]


def test_two_exercises_may_have_answers_of_one_name(tmp_path):
    tasks = [task("attention.masked"), task("relative_positions.turned_values")]
    assert [task.exercise.entry for task in tasks] == ["attention", "attention"]
    first, second = groups(tasks)
    cells = cells_of(
        tmp_path,
        'def attention(): return "masked"\ncheck("attention.masked", attention)',
        'def attention(): return "turned"\ncheck("relative_positions.turned_values", attention)',
    )
    for group, word in ((first, "masked"), (second, "turned")):
        assert run(answers_in(cells, group, tasks).code)["attention"]() == word


@pytest.mark.parametrize(
    ("source", "remark"),
    [
        ("def soft_max(z): pass", "no function softmax was found; the functions are: soft_max"),
        ("", "no function softmax was found; the functions are: none"),
        ("def softmax(z): pass\ndef softmax(z): pass", "softmax is defined 2 times; the last one counts"),
    ],
)
def test_what_is_wrong_with_a_definition_is_said(tmp_path, source, remark):
    assert answers_in(cells_of(tmp_path, source), [SOFTMAX]).remarks["attention.softmax"] == [remark]


def test_a_prediction_that_was_not_made_is_no_answer(tmp_path):
    answers = answers_in(cells_of(tmp_path, 'check("attention.doubled", ...)'), [task("attention.doubled")])
    assert answers.entries == {} and "nothing was predicted" in answers.remarks["attention.doubled"][0]


@pytest.mark.parametrize(
    ("source", "problem", "kept"),
    [
        ("%matplotlib inline\nx = 1", "cell 1: left out, as only a notebook can run it: %matplotlib inline", 1),
        ("if True:\n    !ls\ny = !ls\nf?", "cell 1: left out, as only a notebook can run it: !ls; y = !ls; f?", 1),
        ("%%time\nx = 1", "", 1),
        ("%%bash\nrm x", "cell 1: left out, as only a notebook can run it: %%bash", 0),
        ("x = (7\n% 4)", "", 1),
        ("def f(:", "cell 1, line 1: invalid syntax, so the cell is left out", 0),
        ("def f():\n    break", "cell 1, line 2: 'break' outside loop, so the cell is left out", 0),
        ("x = '\0'", "cell 1", 0),
        ("(" * 5000, "cell 1", 0),
        ("+".join("1" * 50_000), "cell 1", 0),
        ("x = '\\d'", "", 1),
    ],
)
def test_what_python_cannot_read_is_said(tmp_path, source, problem, kept):
    cells = cells_of(tmp_path, source, "def softmax(z): return z")
    assert "\n".join(cells.problems).startswith(problem)
    assert bool(problem) == bool(cells.problems)
    assert len(cells.statements) == kept + 1


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        *(("ada.ipynb", text, "ada.ipynb is no .ipynb file: ") for text in (b"", b"{", b"[]", b'{"cells": 3}')),
        ("ada.ipynb", b"[" * 100_000, "ada.ipynb is no .ipynb file: "),
        ("ada.py", b"#" * (LARGEST + 1), "ada.py is no .py file: it has 10000001 bytes"),
        ("ada.py", b"\xff\xfe", "ada.py cannot be read: UnicodeDecodeError"),
    ],
)
def test_a_damaged_file_is_reported_as_such(tmp_path, name, content, problem):
    (tmp_path / name).write_bytes(content)
    cells = read_cells(tmp_path / name)
    assert cells.statements == () and len(cells.problems) == 1
    assert cells.problems[0].startswith(problem)


@few
@given(st.text(max_size=60))
def test_no_text_breaks_the_reading(tmp_path_factory, text):
    folder = tmp_path_factory.mktemp("any")
    for suffix in (".py", ".md", ".ipynb"):
        file = folder / f"ada{suffix}"
        file.write_text(text, encoding="utf-8", errors="replace")
        answers_in(read_cells(file), [SOFTMAX])


@pytest.mark.parametrize(
    ("source", "uses"),
    [
        ("from clearformer import functional as F\ndef softmax(z): return F.softmax(z)", ["F.softmax"]),
        ("from clearformer.functional import softmax as s\ndef softmax(z): return s(z)", ["F.softmax"]),
        ("import clearformer.functional\ndef softmax(z): return clearformer.functional.softmax(z)", ["F.softmax"]),
        ("def softmax(z):\n  import torch as t\n  return t.nn.functional.softmax(z)", ["torch.nn.functional.softmax"]),
        ("from scipy.special import *\nsoftmax = log_softmax", ["scipy.special.log_softmax"]),
        ("import numpy as np\ndef softmax(z): return eval('np.exp')(z)", ["eval"]),
        ("import torch\ndef softmax(z): return z", []),
    ],
)
def test_uses_are_found(tmp_path, source, uses):
    assert answers_in(cells_of(tmp_path, source), [SOFTMAX]).uses["attention.softmax"] == uses


def test_every_exercise_of_an_assignment_has_an_entry(assignment):
    tasks = assignment.tasks
    assert [task.exercise.entry for task in tasks] == ["weighted_average", "doubled", "softmax"]
    assert groups(tasks) == [list(tasks)]
