"""One step of training as a column of boxes: what each box does, and which decisions a large run has to take there."""

from collections.abc import Sequence

import numpy as np

from clearformer.training import warmup_cosine

from .kit import Canvas, Drawing

LEFT, WIDE, HIGH, EACH = 26, 164, 40, 62  # the boxes: left edge, width, height, and the distance to the next
# The boxes of the loop: words, the section that explains them, role, and two lines of remark.
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
    ("1 batch", "sec-batch-size", "weight", "how many windows", "of the text?"),
    ("2 loss of a model", "sec-model-size", "weight", "how many", "parameters?"),
    ("3 gradient", "sec-accumulation", "weight", "computed by how", "many processes?"),
    ("4 clipping", "", "", "", ""),
    ("5 momentum, Adam", "", "", "", ""),
    ("6 learning rate", "sec-warmup-decides", "weight", "does it need", "a warm-up?"),
    ("7 weight decay", "", "", "", ""),
    ("new weights", "", "layer", "how often, until", "the time is over?"),
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
    """Draw the same step with the questions that have to be answered before a large run."""
    return _column(ASKED, "training_at_scale").finish(
        "Decisions before a large run",
        "The boxes of one step of training, with a question beside five of them. The batch: how many windows of the"
        " text? The loss of a model: how many parameters? The gradient: computed by how many processes? The learning"
        " rate: does it need a warm-up? The new weights: how often, until the time is over?",
    )


def _column(boxes: Sequence[Box], chapter: str) -> Canvas:
    """Draw the boxes with their remarks, and the lines between them."""
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
