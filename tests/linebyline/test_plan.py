"""The plan of the course: every chapter once, and each week an assignment that can be set as it stands."""

import re
import stat
from datetime import UTC, datetime
from pathlib import Path

import page_directives
import pytest

from clearformer.cli.main import main
from linebyline.chapters import CHAPTERS
from linebyline.exercises import registry
from linebyline.grading.assignment import LateRule, read_assignment
from linebyline.plan import WEEKS, assignment_text, essays, reading_minutes

BOOK = Path(__file__).parents[2] / "book"
DUE = ["--due", "2026-10-23T23:59", "--zone", "Europe/Berlin"]


def test_every_exercise_has_one_week():
    assert sorted(e.id for week in WEEKS for e in week.exercises) == sorted(registry())


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_an_essay_can_be_graded(chapter):
    essay = essays()[chapter]
    assert essay["question"].endswith(("?", "."))
    assert len(essay["rubric"]) == len(set(essay["rubric"])) == 3


def test_essays_are_of_the_chapters_alone():
    text = Path(BOOK.parent, "src/linebyline/essays.toml").read_text()
    assert sum(line.startswith("[") for line in text.splitlines()) == len(CHAPTERS) == len(essays())


@pytest.mark.parametrize("number", range(1, len(WEEKS) + 1))
def test_a_week_is_an_assignment(number, tmp_path, capsys):
    assert main(["plan", str(number), *DUE, "-o", str(tmp_path)]) == 0
    file = Path(capsys.readouterr().out.strip())
    assignment, week = read_assignment(file), WEEKS[number - 1]
    assert [task.id for task in assignment.tasks] == [e.id for e in week.exercises]
    assert [essay.id for essay in assignment.essays] == list(week.chapters)
    assert assignment.points == sum(e.points for e in week.exercises) + 3 * len(week.chapters)
    assert assignment.due == datetime(2026, 10, 23, 23, 59)
    assert assignment.seed() > 2**64  # fails once in 2**64 runs
    assert stat.S_IMODE(assignment.seed_file.stat().st_mode) == 0o600


@pytest.mark.parametrize("number", range(1, len(WEEKS) + 1))
def test_nothing_is_read_before_what_it_needs(number):
    before = {chapter for week in WEEKS[:number] for chapter in week.chapters}
    assert {need for chapter in WEEKS[number - 1].chapters for need in page_directives.needs(chapter)} <= before


def test_the_lines_that_are_left_out_can_be_put_in(tmp_path):
    text = assignment_text(1, datetime(2026, 10, 23, 23, 59), "Europe/Berlin")
    whole = re.sub(r"^# (?=package|\[late\]|percent|last)", "", text, flags=re.MULTILINE)
    (tmp_path / "a.toml").write_text(whole.replace("https://...", "https://example.org/course"))
    assignment = read_assignment(tmp_path / "a.toml")
    assert (assignment.late, assignment.package) == (LateRule(10, 3), "git+https://example.org/course")


def test_what_was_edited_is_not_overwritten(tmp_path, capsys):
    (tmp_path / "week1.toml").write_text("mine")
    assert main(["plan", "1", *DUE, "-o", str(tmp_path)])
    assert "week1.toml is there already" in capsys.readouterr().err
    assert (tmp_path / "week1.toml").read_text() == "mine"


@pytest.mark.parametrize(
    ("week", "due", "zone", "message"),
    [
        ("0", "2026-10-23T23:59", "Europe/Berlin", "week 0: expected one of 1 to 14"),
        ("15", "2026-10-23T23:59", "Europe/Berlin", "week 15"),
        ("1", "2026-10-23T23:59", "Moon", "Moon"),
        ("1", "2026-10-23", "Europe/Berlin", "a date without a time: expected such as 2026-10-23T23:59"),
    ],
)
def test_a_wrong_plan_leaves_nothing(week, due, zone, message, tmp_path, capsys):
    assert main(["plan", week, "--due", due, "--zone", zone, "-o", str(tmp_path)])
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_seed_that_was_drawn_stays(tmp_path, capsys):
    (tmp_path / "week1.seed").write_text("7")
    main(["plan", "1", *DUE, "-o", str(tmp_path)])
    assert read_assignment(Path(capsys.readouterr().out.strip())).seed() == 7


def cell(code: str, *options: str) -> str:
    return "\n".join(["", "```{code-cell} ipython3", *options, code, "```", ""])


def test_words_take_time_and_exercises_do_not():
    text, exercises = "word " * 400, "\n## Exercises\n" + "word " * 1000 + cell("x = 1")
    assert reading_minutes(f"---\nkernelspec: {text}\n---\n{text}") == 2
    assert reading_minutes(text + exercises) == 2
    assert reading_minutes(text + exercises + "\n## Further reading\n" + text) == 4


@pytest.mark.parametrize(
    ("one", "minutes_of_four"),
    [
        (cell("x = 1\n" * 20), 3),
        (cell("x = 1", ":tags: [hide-input]"), 0),
        (cell("x = 1", "---", "tags: [remove-input, machine]", "---"), 0),
        (cell("figures.plot_style()\nx = figures.quantized(y)[0]"), 3),
        (cell("figures.rotation()"), 11),
        (cell('drawings.machine("mask")', ":tags: [remove-input]"), 8),
        (cell("plt.plot(x)", "---", "tags: [hide-input]", "mystnb:", "  figure:", "    name: fig-x", "---"), 8),
    ],
)
def test_a_shown_cell_takes_45_seconds_and_a_figure_two_minutes(one, minutes_of_four):
    assert reading_minutes(4 * one) == minutes_of_four


def test_an_offset_is_not_dropped_in_silence():
    with pytest.raises(ValueError, match=r"due 2026-01-01 00:00:00\+00:00: expected a local time"):
        assignment_text(1, datetime(2026, 1, 1, tzinfo=UTC), "Europe/Berlin")
