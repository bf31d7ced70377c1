"""A sentence and its translation with lines between the words that belong together."""

from linebyline.corpora import ENGLISH_SWEDISH

from .kit import Canvas, Drawing

SENTENCE = "In September Jane does not buy the old car."
LEFT, RIGHT, WIDE = 92, 268, 100  # middles of the two columns, and the width of a word
TOP, STEP = 54, 34
SPLIT = ("köper", "bilen")  # words of the target that come from two of the source


def aligned(text: str = SENTENCE, lit: tuple[str, ...] = SPLIT) -> Drawing:
    """Draw the alignment of an English sentence with its translation; the lines of some target words are thick."""
    pair = ENGLISH_SWEDISH.translate(text)
    rows = max(len(pair.source), len(pair.target))
    canvas = Canvas(TOP + rows * STEP - 4)
    canvas.text(LEFT, 22, "source", "bold")
    canvas.text(RIGHT, 22, "target", "bold")
    shift = (len(pair.source) - len(pair.target)) * STEP / 2  # the shorter column is in the middle
    y_source = [TOP + s * STEP - min(shift, 0) for s in range(len(pair.source))]
    y_target = [TOP + t * STEP + max(shift, 0) for t in range(len(pair.target))]
    for y, word, belonging in zip(y_target, pair.target, pair.alignment, strict=True):
        for s in belonging:
            ends = (LEFT + WIDE / 2, y_source[s]), (RIGHT - WIDE / 2, y)
            canvas.line(*ends, kind="weight", arrow=False, width=3.5 if word in lit else 0)
    for y, word in zip(y_source, pair.source, strict=True):
        canvas.token(LEFT, y, word, WIDE)
    for y, word in zip(y_target, pair.target, strict=True):
        canvas.token(RIGHT, y, word, WIDE, "lit" if word in lit else "")
    said = "; ".join(
        f"{word} comes from {' and '.join(pair.source[s] for s in belonging)}"
        for word, belonging in zip(pair.target, pair.alignment, strict=True)
    )
    return canvas.finish("The true alignment of a sentence", f"The English words of '{text}' and the Swedish: {said}.")
