"""Five English words in a chain: neighbors are the two words of a thing, and a model reads one of them or both."""

from collections.abc import Mapping, Sequence

from .kit import SMALL, Canvas, Drawing
from .things import THINGS

CHAIN = ("water", "ice", "cream", "sour", "milk")  # the two words of each of THINGS are neighbors
BOTH = ((0, 1), (1, 2), (2, 3), (3, 4))
WAYS = {"A": ((0,), (1,), (3,), (4,)), "B": ((0,), (1,), (2,), (4,)), "C": BOTH}  # the words read for each thing
SCORES = {"A": (20, 10, 0, 10, 20), "B": (30, 20, 10, 0, 10), "C": (10, 10, 10, 10, 10)}  # with which they read so
LEFT, STEP, WIDE, TALL = 56, 68, 60, 104  # the first word, from one to the next, its box, and the height of a chain


def word_chain() -> Drawing:
    """Draw the chain: each thing is linked to its two words."""
    canvas = Canvas(TALL - 12)
    _chain(canvas, 0, BOTH, arrow=False)
    pairs = "; ".join(f"{thing} with {CHAIN[i]} and {CHAIN[j]}" for thing, (i, j) in zip(THINGS, BOTH, strict=True))
    return canvas.finish(
        "A chain of words", f"Below are the words {', '.join(CHAIN)}, above four Swedish things, linked: {pairs}."
    )


def ways_to_read(ways: Mapping[str, Sequence[Sequence[int]]] = WAYS) -> Drawing:
    """Draw a chain for each model: an arrow leads from a thing to each word that the model reads to write it."""
    tall = TALL + 24
    canvas, said = Canvas(len(ways) * tall - 16), []
    for n, (name, reads) in enumerate(ways.items()):
        canvas.text(4, n * tall + 79, name, "bold", "start")
        _chain(canvas, n * tall, reads, arrow=True)
        for i, score in enumerate(SCORES[name]):
            canvas.note(LEFT + i * STEP, n * tall + 106, f"{score}", "", "middle")
        read = (f"{' and '.join(CHAIN[w] for w in w_)} for {thing}" for thing, w_ in zip(THINGS, reads, strict=True))
        scores = ", ".join(f"{score} for {word}" for word, score in zip(CHAIN, SCORES[name], strict=True))
        said.append(f"{name} reads {', '.join(read)}, with the scores {scores}")
    return canvas.finish("Ways to read four things", f"The chain of words for each model: {'. '.join(said)}.")


def _chain(canvas: Canvas, top: float, reads: Sequence[Sequence[int]], *, arrow: bool) -> None:
    """Draw the words of the chain, above them the things, and lines to the words that are read."""
    used = {word for words in reads for word in words}
    for thing, words in enumerate(reads):
        x = LEFT + (thing + 0.5) * STEP
        canvas.text(x, top + 18, THINGS[thing], "bold", size=SMALL)
        for word in words:
            end = LEFT + word * STEP + (12 if word == thing else -12)
            canvas.line((x, top + 25), (end, top + 57), kind="weight", arrow=arrow, width=2)
    for i, name in enumerate(CHAIN):
        x = LEFT + i * STEP
        if i in used:
            canvas.token(x, top + 74, name, WIDE)
        else:
            canvas.add("rect", x=x - WIDE / 2, y=top + 60, width=WIDE, height=28, rx=14, class_="off")
            canvas.text(x, top + 79, name, "quiet")
