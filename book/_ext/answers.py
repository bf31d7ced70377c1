"""Exercises that are answered in the page: what a reader predicts, and the faulty line of a broken function.

The directives `predict` and `diagnose` draw them from the registry; `answers.js` says what becomes of an answer.
"""

import html
import json
from functools import singledispatch
from typing import Any

import numpy as np
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
        """Give one raw node, or refuse an id of no exercise of this kind."""
        exercise = registry().get(self.arguments[0])
        if exercise is None or exercise.kind != self.name:
            raise self.error(f"{self.arguments[0]!r} is no exercise of the kind {self.name!r}")
        return [nodes.raw("", form(exercise), format="html")]


def form(exercise: Exercise) -> str:
    """HTML of an exercise: what is asked, and, as data, what is said of each answer."""
    name = f"answer-{exercise.id.replace('.', '-', 1)}"
    legend, fields, button, data = _parts(exercise, name)
    return (
        f'<div class="in-page" id="{name}">\n<fieldset disabled><legend>{html.escape(legend)}</legend>{fields}\n'
        f'<button type="button">{button}</button></fieldset>\n'
        f'<div class="in-page-verdict" role="status" aria-live="polite"></div>\n'
        f'<script type="application/json">{json.dumps(data).replace("<", chr(92) + "u003c")}</script>\n</div>\n'
    )


@singledispatch
def _parts(exercise: Exercise, name: str) -> tuple[str, str, str, dict[str, Any]]:
    """Legend, fields, words on the button, and the data of the script."""
    raise NotImplementedError(f"{exercise.id}: an exercise of the kind {exercise.kind!r} is not answered in the page")


@_parts.register
def _numbers(exercise: Predict, name: str) -> tuple[str, str, str, dict[str, Any]]:
    fields = "".join(
        f'<div class="in-page-number"><label for="{name}-{i}">{html.escape(label)}</label>'
        f'<input type="number" step="any" id="{name}-{i}" autocomplete="off"></div>'
        for i, label in enumerate(exercise.asks)
    )
    values = exercise.values()
    guesses = [
        {"remark": remark, "values": np.ravel(guess).tolist()} for remark, guess in exercise.wrong_answers.items()
    ]
    data = {"values": values, "shown": [f"{value:.4g}" for value in values], "within": exercise.within}
    return "Your prediction", fields, "How far off?", {**data, "guesses": guesses}


@_parts.register
def _options(exercise: Pick, name: str) -> tuple[str, str, str, dict[str, Any]]:
    fields = "".join(
        f'<label class="in-page-option">{_radio(name, i)}{html.escape(option)}</label>'
        for i, option in enumerate(exercise.options)
    )
    words = {exercise.options.index(option): remark for remark, option in exercise.wrong_answers.items()}
    legend = f"Your prediction: {exercise.asks}"
    return legend, fields, "Is it this one?", {"right": exercise.options.index(exercise.value()), "words": words}


@_parts.register
def _lines(exercise: Diagnose, name: str) -> tuple[str, str, str, dict[str, Any]]:
    fields = "".join(
        f'<label class="in-page-line">{_radio(name, i)}{_line(line)}</label>'
        if i in exercise.remarks
        else f'<div class="in-page-line">{_line(line)}</div>'
        for i, line in enumerate(exercise.broken.lines)
    )
    fields = f'<div class="in-page-code highlight">{fields}</div>'
    return "Which line is at fault?", fields, "Is it this one?", {"right": exercise.fault, "words": exercise.remarks}


def _radio(name: str, value: int) -> str:
    return f'<input type="radio" name="{name}" value="{value}" autocomplete="off">'


def _line(line: str) -> str:
    """A line of code that hangs by its own indentation where it is too long for the page."""
    code = highlight(line.strip(), PythonLexer(), HtmlFormatter(nowrap=True)).strip()
    return f'<code style="--indent:{len(line) - len(line.lstrip())}ch">{code}</code>'
