"""Pictures of weights, and what they hide: an invented one of a real sentence, and one that two models share."""

from collections.abc import Mapping, Sequence

import numpy as np

from .kit import CELL, SMALL, Canvas, Drawing, number

SENTENCE = ("the", "doctor", "lost", "her", "umbrella")
WEIGHTS = (0.02, 0.92, 0.01, 0.04, 0.01)  # invented
SOURCE = ("Ann", "loves", "ice", "cream", "<eos>")
# The weights of two trained models, rounded, and what they write, before and after a word is hidden.
MODELS = {
    "model 4": (((0, 0, 1, 0, 0), (0, 0, 0, 1, 0)), ("glass", "gräddfil")),
    "model 6": (((0, 0, 1, 0, 0), (0.2, 0, 0, 0.8, 0)), ("glass", "glass")),
}


def doctor_row() -> Drawing:
    """Draw the weights with which a translator writes *seinen*, German for *his*, as a row of cells and as lines."""
    left, step, top = 5, 70, 34
    canvas, middle = Canvas(168), left + 2.5 * step
    for s, (word, weight) in enumerate(zip(SENTENCE, WEIGHTS, strict=True)):
        x = left + (s + 0.5) * step
        canvas.text(x, 20, word, "key", size=SMALL)
        canvas.matrix(left + s * step, top, [[weight]], "weight", top=1.6, cell=step)
        canvas.line((x, top + CELL + 3), (middle, 131), kind="weight", arrow=False, width=max(0.6, 12 * weight))
    canvas.token(middle, 146, "seinen", 76, "lit")
    canvas.note(middle + 46, 151, "(his)")
    canvas.note(middle - 46, 151, "writes", anchor="end")
    said = ", ".join(f"{number(w)} on {word}" for word, w in zip(SENTENCE, WEIGHTS, strict=True))
    return canvas.finish(
        "Where a translator looks", f"The weights in the row that writes seinen, German for his: {said}."
    )


def same_picture(
    models: Mapping[str, tuple[Sequence[Sequence[float]] | np.ndarray, Sequence[str]]] = MODELS,
    source: Sequence[str] = SOURCE,
    hidden: int = 2,
) -> Drawing:
    """Draw for each model one row of weights twice, with all words and with one hidden, and what it writes."""
    left, step, head, apart = 96, 39, 74, 36
    canvas, said = Canvas(head + len(models) * (2 * CELL + apart) - 4), []
    for s, word in enumerate(source):
        canvas.note(left + (s + 0.5) * step, (20, 38)[s % 2], word, "key", "middle")
    canvas.note(356, 38, "writes", "", "end")
    for n, (title, (weights, written)) in enumerate(models.items()):
        top = head + n * (2 * CELL + apart)
        canvas.text(4, top - 8, title, "bold", "start")
        labels = ("all words", f"without {source[hidden]}")
        for t, (label, row, wrote) in enumerate(zip(labels, weights, written, strict=True)):
            y = top + t * CELL
            canvas.note(4, y + 18, label, "")
            shown = ["–" if t and s == hidden else round(float(weight), 1) for s, weight in enumerate(row)]
            canvas.matrix(left, y, [shown], "weight", top=1.6, cell=step)
            canvas.note(356, y + 18, wrote, "", "end")
            shares = ", ".join(
                f"{word} hidden" if w == "–" else f"{number(float(w))} on {word}"
                for word, w in zip(source, shown, strict=True)
            )
            said.append(f"{title}, {label}: {shares}, and {wrote} is written")
    return canvas.finish("The same row of two models, and what it needs", f"Rows of weights. {'; '.join(said)}.")
