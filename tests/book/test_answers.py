"""Laws of the exercises that are answered in the page: what stands there comes from the registry, and shows nothing."""

import json
import re
from types import SimpleNamespace

import pytest
from page_directives import InPage, form

from linebyline.exercises import Predict, registry

IN_PAGE = [exercise for exercise in registry().values() if exercise.kind != "write"]


def run(kind, exercise_id):
    return InPage(kind, [exercise_id], {}, [], 1, 0, "", None, SimpleNamespace(reporter=None)).run()


@pytest.mark.parametrize("exercise", IN_PAGE, ids=lambda exercise: exercise.id)
def test_the_directive_draws_the_exercise(exercise):
    (node,) = run(exercise.kind, exercise.id)
    assert node["format"] == "html"
    assert node.astext() == form(exercise)


@pytest.mark.parametrize("exercise", IN_PAGE, ids=lambda exercise: exercise.id)
def test_what_is_said_of_an_answer_is_data_and_no_text(exercise):
    page = form(exercise)
    (data,) = re.findall(r'<script type="application/json">(.*)</script>', page)
    shown = re.sub(r"<script.*?</script>", "", page)
    said = [guess["remark"] for guess in json.loads(data)["guesses"]] if isinstance(exercise, Predict) else []
    said += json.loads(data).get("words", {}).values()
    assert said
    assert [words for words in said if words in shown] == []
    assert "checked" not in shown


def test_an_unknown_exercise_is_refused():
    with pytest.raises(KeyError, match=r"attention\.sofmax"):
        run("predict", "attention.sofmax")
