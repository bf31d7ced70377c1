"""Laws of the book's source: what readers and instructors rely on, and the build itself does not check."""

import re
from pathlib import Path

import chapters
import pytest

from linebyline.exercises import Diagnose, registry
from tests.sources import sources

PAGES = chapters.pages()
TEXTS = {page.stem: page.read_text(encoding="utf-8") for page in PAGES}
CELL = re.compile(r"^(`{3,})\{code-cell\}[^\n]*\n(.*?)^\1\s*$", re.MULTILINE | re.DOTALL)
EXERCISE = re.compile(r"\{exercise-start\}[^\n]*\n:label: (\S+)\n(.*?)\{exercise-end\}", re.DOTALL)
SOLVED = re.compile(r"\{solution-start\} (\S+)\n(.*?)\{solution-end\}", re.DOTALL)
MAX_CELL_LINES = 25


def each(pattern):
    """(page, match) for every match of a pattern in the book."""
    return [(page, match) for page, text in TEXTS.items() for match in pattern.finditer(text)]


EXERCISES = {match[1]: (page, match[2]) for page, match in each(EXERCISE)}
SOLUTIONS = {match[1]: match[2] for _, match in each(SOLVED)}


def test_every_page_is_in_the_table_of_contents():
    written = {path.stem for path in (chapters.ROOT / "book").glob("*.md")}
    assert written - {"instructor"} == set(TEXTS)


def test_exercises_and_registry_agree():
    labels = [exercise_id.replace(".", "-", 1) for exercise_id in registry()]
    assert list(EXERCISES) == labels


@pytest.mark.parametrize("exercise", registry().values(), ids=lambda exercise: exercise.id)
def test_exercise_is_complete(exercise):
    label = exercise.id.replace(".", "-", 1)
    _, text = EXERCISES[label]
    assert f'check("{exercise.id}"' in text
    points = f"{exercise.points} point" + "s" * (exercise.points > 1)
    facts = f"{exercise.difficulty.title()} · {points} · {exercise.minutes} minutes · may use {exercise.may_use}"
    assert f"**{facts}.**" in text
    assert label in SOLUTIONS, f"{label} has no solution"
    assert f'check("{exercise.id}"' in SOLUTIONS[label]
    assert ":class: dropdown" in SOLUTIONS[label]


@pytest.mark.parametrize("exercise", registry().values(), ids=lambda exercise: exercise.id)
def test_exercise_has_what_its_kind_needs(exercise):
    label = exercise.id.replace(".", "-", 1)
    _, text = EXERCISES[label]
    if exercise.kind == "write":
        assert "raise NotImplementedError" in text
        return
    assert f"```{{{exercise.kind}}} {exercise.id}\n```" in text
    if isinstance(exercise, Diagnose):
        assert f"\n{exercise.broken.text}\n\ncheck(" in text
        assert f"\n{exercise.fixed.text}\n\ncheck(" in SOLUTIONS[label]
    else:
        assert f'check("{exercise.id}", ...)' in text


@pytest.mark.parametrize("page", sorted({page for page, _ in EXERCISES.values()}))
def test_exercises_go_from_easy_to_hard(page):
    order = ["easy", "medium", "hard"]
    ranks = [order.index(e.difficulty) for e in registry().values() if e.id.startswith(f"{page}.")]
    assert ranks == sorted(ranks)


@pytest.mark.parametrize("page", TEXTS)
def test_every_display_equation_has_a_label(page):
    fences = re.findall(r"^\$\$.*$", TEXTS[page], re.MULTILINE)
    assert fences[::2] == ["$$"] * len(fences[::2])
    assert [end for end in fences[1::2] if not re.fullmatch(r"\$\$ \(eq-[\w-]+\)", end)] == []


@pytest.mark.parametrize("page", TEXTS)
def test_every_plot_has_alternative_text_and_a_caption(page):
    for match in CELL.finditer(TEXTS[page]):
        if "plt.subplots" in match[2]:
            assert re.search(r"^\s+alt: \S", match[2], re.MULTILINE), match[2][:200]
            assert re.search(r"^\s+caption: \S", match[2], re.MULTILINE), match[2][:200]


@pytest.mark.parametrize("page", TEXTS)
def test_cells_are_short_enough_to_read(page):
    for match in CELL.finditer(TEXTS[page]):
        code = re.sub(r"\A---\n.*?^---\n", "", match[2], flags=re.MULTILINE | re.DOTALL)
        assert len(code.splitlines()) <= MAX_CELL_LINES, code[:200]


def test_citations_and_bibliography_agree():
    keys = re.findall(r"^@\w+\{([^,]+),", Path(chapters.ROOT, "references.bib").read_text(), re.MULTILINE)
    cited = {key.strip() for _, match in each(re.compile(r"\{cite:\w+\}`([^`]+)`")) for key in match[1].split(",")}
    assert len(keys) == len(set(keys))
    assert cited <= set(keys)
    by_name = {re.match(r"[a-z]+\d{4}", key)[0]: key for key in keys}
    named = {by_name[name] for path in Path(chapters.ROOT, "src").rglob("*.py") for name in sources(path.read_text())}
    assert cited | named == set(keys), "a work that no page cites and no docstring names"


def test_labels_are_unique():
    marks = each(re.compile(r"^\(([\w-]+)\)=$|\$\$ \(([\w-]+)\)|^\s+name: (fig-[\w-]+)$", re.MULTILINE))
    labels = [next(filter(None, match.groups())) for _, match in marks]
    assert sorted(set(labels)) == sorted(labels)


def test_a_heading_with_a_formula_is_named_in_words_where_it_is_linked():
    """A link takes the formula's source for its words."""
    text = "\n".join(TEXTS.values())
    formulas = re.findall(r"^\(([\w-]+)\)=\n#+ .*\$", text, re.MULTILINE)
    assert "sec-sqrt-d-model" in formulas
    assert not [label for label in formulas if f"{{ref}}`{label}`" in text or f"[]({label})" in text]
