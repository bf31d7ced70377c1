"""Ways through the book: what chapters need, and how long they take."""

import html
import re
from unittest.mock import Mock

import chapters
import page_directives
import pytest
from docutils.core import publish_doctree
from docutils.parsers.rst import directives

from linebyline.chapters import BY_WEEK, CHAPTERS, FIRST_COURSE
from linebyline.exercises import registry


def tree_of(text):
    """The tree of a page that is not part of a build."""
    return publish_doctree(text, settings_overrides={"env": Mock(), "report_level": 5})


def test_needs_are_those_that_the_line_names():
    assert page_directives.needs("first_model") == ()
    assert page_directives.needs("search") == ("key_value_cache", "language_model", "sampling")
    # {ref}`sec-softmax-backward` is in attention_backward.
    assert page_directives.needs("attention_cost")[-1] == "attention_backward"


def test_who_cannot_point_reads_what_a_chapter_needs(known):
    (row,) = [node.astext() for node in tree_of(".. chapter-map::\n").children]
    for name in CHAPTERS:
        link = row.partition(f'data-chapter="{name}"')[2].partition("</a>")[0]
        words = ", ".join(map(page_directives.title, page_directives.needs(name)))
        assert re.findall(r'class="map-words">([^<]*)<', link) == ([f"needs: {html.escape(words)}"] if words else [])


def test_chapters_come_in_the_order_of_the_book():
    pages = [name for names in chapters.parts().values() for name in names if name in CHAPTERS]
    assert tuple(pages) == CHAPTERS == tuple(dict.fromkeys(CHAPTERS))


def test_the_first_course_is_the_path_of_the_landing_page():
    text = (chapters.ROOT / "book" / "index.md").read_text(encoding="utf-8")
    path = text.partition("### A first course")[2].partition("```{path}\n")[2].partition("```")[0]
    assert tuple(path.split()) == FIRST_COURSE


@pytest.mark.parametrize("number", range(len(FIRST_COURSE)))
def test_no_chapter_of_the_first_course_needs_a_later_one(number):
    assert set(page_directives.needs(FIRST_COURSE[number])) <= set(FIRST_COURSE[:number])


def test_no_chapter_needs_itself_in_the_end():
    """A reader who reads what is needed first comes to every chapter."""
    read: set[str] = set()
    while ready := {name for name in CHAPTERS if name not in read and set(page_directives.needs(name)) <= read}:
        read |= ready
    assert read == set(CHAPTERS)


def test_times_count_every_exercise_once():
    working = sum(page_directives.minutes(name)[1] for name in CHAPTERS)
    assert working == sum(exercise.minutes for exercise in registry().values())
    assert all(5 < page_directives.minutes(name)[0] <= 60 for name in CHAPTERS if name != "first_model")


@pytest.mark.parametrize(("total", "words"), [(1, "1 minutes"), (90, "90 minutes"), (91, "2 hours"), (209, "3 hours")])
def test_times_in_words(total, words):
    assert page_directives.hours(total) == words


@pytest.fixture(scope="module")
def known():
    directives.register_directive("path", page_directives.ReadingPath)
    directives.register_directive("plan-of-weeks", page_directives.PlanOfWeeks)
    directives.register_directive("chapter-map", page_directives.ChapterMap)


@pytest.mark.parametrize(("option", "exercises"), [("", True), ("   :reading:\n", False)])
def test_a_path_adds_up_its_chapters(known, option, exercises):
    text = tree_of(f".. path::\n{option}\n   search\n   sampling\n").astext()
    reading = sum(page_directives.minutes(name)[0] for name in ("search", "sampling"))
    assert f"{page_directives.hours(reading)} of reading" in text
    assert ("of exercises" in text) == exercises
    assert re.sub("<.*?>", "", text).splitlines()[1] == " → ".join(map(page_directives.title, ("search", "sampling")))


def test_the_weeks_of_the_course_hold_every_chapter_once(known):
    text = tree_of(".. plan-of-weeks::\n").astext()
    assert f"in {len(CHAPTERS)} chapters" in text
    heads = " → ".join(map(page_directives.title, BY_WEEK["Heads"]))
    assert re.search(rf"^Heads, \d hours: {heads}$", re.sub("<.*?>", "", text), re.MULTILINE)
    assert sorted(re.findall(r'href="(\w+)\.html"', text)) == sorted(CHAPTERS)
