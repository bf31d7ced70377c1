"""Columns of boxes: one step of training, and the decisions before a large run."""

from collections.abc import Sequence

import numpy as np

from clearformer.training import warmup_cosine

from .kit import Canvas, Drawing

LEFT, WIDE, HIGH, EACH = 26, 164, 40, 62  # the boxes: left edge, width, height, and the distance to the next
# A box: words, the section that explains them, role, and two lines of remark.
Box = tuple[str, str, str, str, str]
STEP: tuple[Box, ...] = (
    ("1 batch", "", "", "a few windows", "of the text"),
    ("2 loss", "", "", "how bad the", "predictions are"),
    ("3 gradient", "sec-descent", "", "a slope for", "every weight"),
    ("4 clipping", "sec-clipping", "weight", "shorten a gradient", "that is too long"),
    ("5 momentum, Adam", "sec-momentum", "weight", "average it, divide it", "by its usual size"),
    ("6 learning rate", "sec-early-variance", "weight", "", ""),
    ("7 weight decay", "sec-decay", "weight", "shrink every", "weight a little"),
    ("new weights", "", "layer", "and again, many", "thousand times"),
)
ASKED: tuple[Box, ...] = (
    ("eight GPUs", "", "layer", "for a week, each", "with 80 GB of memory"),
    ("1 model size", "sec-model-size", "weight", "how many parameters", "and tokens?"),
    ("2 batch size", "sec-batch-size", "weight", "what is a larger", "batch worth?"),
    ("3 memory", "sec-accumulation", "weight", "what if a batch", "does not fit?"),
    ("4 processes", "sec-many-processes", "weight", "how do eight", "train one model?"),
    ("5 first steps", "sec-warmup-decides", "weight", "does the run need", "a warm-up?"),
    ("the plan", "sec-week-plan", "layer", "what you start", "on Monday"),
)


def training_loop() -> Drawing:
    """Draw one step of training, with the way back to the next batch."""
    canvas = _column(STEP, "training")
    _schedule(canvas, 5 + EACH * [words for words, *_ in STEP].index("6 learning rate"))
    return canvas.finish(
        "One step of training",
        "A column of boxes. 1, a batch of the text. 2, the loss of the model's predictions. 3, the gradient: a slope"
        " for every weight. 4, clipping: a gradient that is too long is shortened. 5, momentum and Adam: recent"
        " gradients are averaged, and divided by their usual size. 6, the learning rate, which rises at first and then"
        " falls along half a cosine. 7, weight decay: every weight shrinks a little. An arrow leads from the new"
        " weights back to the next batch.",
    )


def decisions() -> Drawing:
    """Draw the questions that have to be answered before a large run, in the order in which each limits the next."""
    return _column(ASKED, "training_at_scale", again=False).finish(
        "Decisions before a large run",
        "A column of boxes with a question beside each. At the top: eight GPUs for a week. 1, the size of the"
        " model: how many parameters and tokens? 2, the size of a batch: what is a larger batch worth? 3, memory: what"
        " if a batch does not fit? 4, processes: how do eight train one model? 5, the first steps: does the run need a"
        " warm-up? At the bottom: the plan.",
    )


def _column(boxes: Sequence[Box], chapter: str, *, again: bool = True) -> Canvas:
    """Draw the boxes with their remarks, the lines between them and, for a loop, the way back."""
    canvas = Canvas(EACH * len(boxes) - 14)
    for place, (words, section, role, *remark) in enumerate(boxes):
        y = 5 + EACH * place
        leads = {"href": f"{chapter}.html#{section}"} if section else {}
        canvas.box(LEFT, y, WIDE, HIGH, words, role=role, **leads)
        for line, said in enumerate(remark):
            canvas.note(LEFT + WIDE + 14, y + 17 + 16 * line, said)
        if place:
            canvas.line((LEFT + WIDE / 2, y - EACH + HIGH), (LEFT + WIDE / 2, y - 2))
    low, high = 5 + EACH * (len(boxes) - 1) + HIGH / 2, 5 + HIGH / 2
    if again:
        canvas.line((LEFT, low), (10, low), (10, high), (LEFT - 2, high))
    return canvas


def _schedule(canvas: Canvas, y: float) -> None:
    """Draw the learning rate over a run beside its box."""
    rate, steps = warmup_cosine(1.0, warmup=20, steps=200), 200
    left, wide = LEFT + WIDE + 16, 140
    times = np.linspace(0, steps - 1, 60)
    curve = [(left + wide * t / steps, y + HIGH - 2 - (HIGH - 6) * rate(round(t))) for t in times]
    canvas.line((left, y), (left, y + HIGH), (left + wide, y + HIGH), arrow=False)
    canvas.line(*curve, kind="weight", arrow=False, width=2)
    canvas.note(left + wide, y + 14, "in a run", anchor="end")
