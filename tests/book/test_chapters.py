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
    text, solution = EXERCISES[label][1], SOLUTIONS[label]
    points = f"{exercise.points} point" + "s" * (exercise.points > 1)
    facts = f"{exercise.difficulty.title()} · {points} · {exercise.minutes} minutes · may use {exercise.may_use}"
    assert f"**{facts}.**" in text
    assert f'check("{exercise.id}"' in text
    assert f'check("{exercise.id}"' in solution and ":class: dropdown" in solution
    if exercise.kind == "write":
        assert "raise NotImplementedError" in text
        return
    assert f"```{{{exercise.kind}}} {exercise.id}\n```" in text
    if isinstance(exercise, Diagnose):
        assert f"\n{exercise.broken.text}\n\ncheck(" in text
        assert f"\n{exercise.fixed.text}\n\ncheck(" in solution
    else:
        assert f'check("{exercise.id}", ...)' in text


@pytest.mark.parametrize("page", TEXTS)
def test_every_display_equation_has_a_label(page):
    fences = re.findall(r"^\$\$.*$", TEXTS[page], re.MULTILINE)
    assert fences[::2] == ["$$"] * len(fences[::2])
    assert [end for end in fences[1::2] if not re.fullmatch(r"\$\$ \(eq-[\w-]+\)", end)] == []


def test_an_equation_of_another_chapter_is_named_with_its_chapter():
    """Equations are numbered anew on each page, so a bare (7) would mean the wrong one."""
    home = {
        match[1] or match[2]: page
        for page, match in each(re.compile(r"^\s*\$\$ \((eq-[\w-]+)\)|^:label: (eq-[\w-]+)", re.MULTILINE))
    }
    bare = [
        (page, line)
        for page, text in TEXTS.items()
        for line in text.splitlines()
        for label in re.findall(r"\{eq\}`(?:[^`<]*<)?(eq-[\w-]+)>?`", line)
        if home[label] != page and f"]({home[label]}.md" not in line
    ]
    assert bare == []


def test_every_plot_has_alternative_text_and_a_caption():
    plots = [(page, match[2]) for page, match in each(CELL) if "plt.subplots" in match[2]]
    told = re.compile(r"(?=.*^\s+alt: \S)(?=.*^\s+caption: \S)", re.MULTILINE | re.DOTALL)
    assert len(plots) > 20
    assert [(page, cell[:200]) for page, cell in plots if not told.match(cell)] == []


def test_citations_and_bibliography_agree():
    text = '\n    Source: Press and Wolf (2017), section 2; Ba et\n    al. (2016).\n    """ Nobody (1900)'
    assert sources(text) == {"press2017", "ba2016"}
    keys = re.findall(r"^@\w+\{([^,]+),", Path(chapters.ROOT, "references.bib").read_text(), re.MULTILINE)
    cited = {key.strip() for _, match in each(re.compile(r"\{cite:\w+\}`([^`]+)`")) for key in match[1].split(",")}
    assert len(keys) == len(set(keys))
    assert cited <= set(keys)
    by_name = {re.match(r"[a-z]+\d{4}", key)[0]: key for key in keys}
    code = {path: sources(path.read_text()) for path in Path(chapters.ROOT, "src").rglob("*.py")}
    assert {path: names - by_name.keys() for path, names in code.items() if names - by_name.keys()} == {}
    named = {by_name[name] for names in code.values() for name in names}
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
