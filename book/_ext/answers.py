"""Exercises that are answered in the page: what a reader predicts, and the faulty line of a broken function.

The directives `predict` and `diagnose` draw them from the registry; `answers.js` says what becomes of an answer.
"""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
from chapters import render
from docutils import nodes
from docutils.parsers.rst import Directive
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from linebyline.exercises import Diagnose, Exercise, Pick, Predict, registry


class InPage(Directive):
    """Draw an exercise, given by its id, so that it can be answered in the page."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        exercise = registry().get(self.arguments[0])
        if exercise is None or exercise.kind != self.name:
            raise self.error(f"{self.arguments[0]!r} is no exercise of the kind {self.name!r}")
        return [nodes.raw("", form(exercise), format="html")]


def form(exercise: Exercise) -> str:
    """HTML of an exercise: what is asked, and, as data, the response to each answer."""
    fields, data = FIELDS[type(exercise)](exercise)
    name = f"answer-{exercise.id.replace('.', '-', 1)}"
    return render("answer.html", name=name, data=json.dumps(data).replace("<", "\\u003c"), **fields)


def _numbers(exercise: Predict) -> tuple[dict[str, Any], dict[str, Any]]:
    values, wrong = exercise.values(), exercise.wrong_answers
    guesses = [{"remark": remark, "values": np.ravel(guess).tolist()} for remark, guess in wrong.items()]
    data = {"values": values, "shown": [f"{value:.4g}" for value in values], "within": exercise.within}
    fields = {"legend": "Your prediction", "numbers": exercise.asks, "button": "How far off?"}
    return fields, {**data, "guesses": guesses}


def _options(exercise: Pick) -> tuple[dict[str, Any], dict[str, Any]]:
    words = {exercise.options.index(option): remark for remark, option in exercise.wrong_answers.items()}
    fields = {"legend": f"Your prediction: {exercise.asks}", "options": exercise.options, "button": "Is it this one?"}
    return fields, {"right": exercise.options.index(exercise.value()), "words": words}


def _lines(exercise: Diagnose) -> tuple[dict[str, Any], dict[str, Any]]:
    lines = [
        {
            "code": highlight(line.strip(), PythonLexer(), HtmlFormatter(nowrap=True)).strip(),
            "indent": len(line) - len(line.lstrip()),
            "remark": number in exercise.remarks,
        }
        for number, line in enumerate(exercise.broken.lines)
    ]
    fields = {"legend": "Which line is at fault?", "lines": lines, "button": "Is it this one?"}
    return fields, {"right": exercise.fault, "words": exercise.remarks}


FIELDS: dict[type, Callable[..., tuple[dict[str, Any], dict[str, Any]]]]
FIELDS = {Predict: _numbers, Pick: _options, Diagnose: _lines}
