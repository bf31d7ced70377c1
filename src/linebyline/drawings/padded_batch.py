"""Padded batches: means that padding must not enter, a forgotten mask and a test for it, and sorted batches."""

from collections.abc import Mapping, Sequence
from itertools import accumulate

import numpy as np

from .kit import CELL, Canvas, Drawing, number

BATCH = (("I", "like", "ice", "cream"), ("Mary", "loves", "tea"), ("Dan", "sings"))
PAD = "pad"
# For each place where padding must not count: the numbers of the two words and of the padding after them.
PLACES = {
    "1  attention: the values": (2.0, 4.0, 9.0, 9.0),
    "2  loss of each position": (1.0, 3.0, 0.0, 0.0),
    "3  a feature of the vectors": (8.0, 2.0, 0.0, 0.0),
}
FIRST, STEP, WIDE = 36, 62, 56  # the middle of the first column, from one to the next, and the width of a token
BOTH = (278, 328)  # the columns of the two means
SOURCE = ("Dan", "sings", ".", PAD, PAD)
WAYS = ("both masks", "no mask in cross-attention", "neither mask")
# Of the kept translator: the weights of the word after sjunger, in each of these ways, and its next word.
AFTER_SJUNGER = ((0.04, 0.03, 0.93, 0.0, 0.0), (0.01, 0.01, 0.27, 0.61, 0.11), (0.0, 0.0, 0.15, 0.7, 0.15))
WRITES = ((".", 0.9), (".", 0.83), ("will", 0.21))
NEXT = {PAD: ((".", 0.9), ("will", 0.21)), "tea": ((".", 0.9), (".", 0.76))}
LENGTHS = (4, 12, 5, 11)  # of four sentences that are put into batches of two
PLACE, ROW = 12, 17  # the width of a place in these batches, and the height of a sentence


def mean(numbers: Sequence[float], words: int) -> float:
    """Return the mean of the first numbers, those of words.

    Example:
        >>> [(mean(row, 4), mean(row, 2)) for row in PLACES.values()]
        [(6.0, 3.0), (1.0, 2.0), (2.5, 5.0)]
    """
    return sum(numbers[:words]) / words


def padded_batch() -> Drawing:
    """Draw three sentences as a batch, and for the shortest the three means with and without its padding."""
    longest, words = len(BATCH[0]), len(BATCH[-1])
    canvas = Canvas(320)
    for y, sentence in zip((24, 60, 96), BATCH, strict=True):
        _row(canvas, y, sentence, longest)
        canvas.note(BOTH[0] - 20, y + 5, f"{len(sentence)} words")
    canvas.note(sum(BOTH) / 2, 134, "mean of", "", "middle")
    for x, head in zip(BOTH, ("all 4", "2 words"), strict=True):
        canvas.note(x, 151, head, "bold" if head == "2 words" else "", "middle")
    said = []
    for y, (place, numbers) in zip((166, 226, 286), PLACES.items(), strict=True):
        canvas.note(FIRST - WIDE / 2, y - 9, place, "bold")
        for s, value in enumerate(numbers):
            left = FIRST + s * STEP - WIDE / 2
            if s < words:
                canvas.matrix(left, y, [[value]], "layer", top=10, cell=WIDE)
            else:
                canvas.add("rect", x=left, y=y, width=WIDE, height=CELL, class_="off")
                canvas.note(left + WIDE / 2, y + 18, number(value), anchor="middle")
        wrong, right = mean(numbers, longest), mean(numbers, words)
        canvas.text(BOTH[0], y + 18, number(wrong), "quiet")
        canvas.text(BOTH[1], y + 18, number(right), "bold")
        said.append(
            f"{place[3:]}: {', '.join(map(number, numbers))}; the mean of all four is {number(wrong)},"
            f" that of the words {number(right)}"
        )
    return canvas.finish(
        "Three places where padding must not count",
        "A batch of three sentences, of four, three and two words, filled up on the right to four columns. The last is"
        f" Dan sings pad pad. Below it are the three numbers that are means over its positions. {'. '.join(said)}.",
    )


def forgotten_mask(weights: np.ndarray | None = None, writes: Sequence[tuple[str, float]] = WRITES) -> Drawing:
    """Draw the weights, (3, 5), of the word after ``sjunger``, with both masks, one or none, and what it writes.

    The example has the weights of the kept translator: the mean over the heads of its last block.
    """
    weights = np.array(AFTER_SJUNGER) if weights is None else weights
    canvas, said = Canvas(236), []
    left, step = 6, 53
    right = left + step * len(SOURCE) + 10
    canvas.note(left, 16, "after sjunger, the decoder looks at", "query")
    canvas.note(right, 16, "next word", "")
    for s, word in enumerate(SOURCE):
        canvas.token(left + (s + 0.5) * step, 42, word, step - 5, "off" if word is PAD else "")
    for y, name, row, (word, probability) in zip((84, 142, 200), WAYS, weights, writes, strict=True):
        canvas.note(left, y - 7, name, "bold")
        for s, weight in enumerate(row):
            if name == WAYS[0] and SOURCE[s] is PAD:
                canvas.add("rect", x=left + s * step, y=y, width=step, height=CELL, class_="off")
                canvas.note(left + (s + 0.5) * step, y + 18, number(float(weight)), anchor="middle")
            else:
                canvas.matrix(left + s * step, y, [[float(weight)]], "weight", top=1, cell=step)
        canvas.note(right, y + 18, f"“{word}” {probability:.2f}", "")
        each = ", ".join(f"{number(float(weight))} on {key}" for key, weight in zip(SOURCE, row, strict=True))
        said.append(f"{name}, {each}; the most likely next word is {word} with probability {probability:.2f}")
    return canvas.finish("Forgotten masks", f"Weights of the word after sjunger: {'. '.join(said)}.")


def padding_test(writes: Mapping[str, Sequence[tuple[str, float]]] | None = None) -> Drawing:
    """Draw a sentence with padding and with tea in its place, and the next word if the mask is used or ignored."""
    writes = writes or NEXT
    canvas, said = Canvas(204), []
    first, step, columns = 28, 47, (269, 326)
    canvas.note(first - 24, 18, "what is read", "")
    canvas.note(354, 18, "next word, if the mask is", "", "end")
    for x, name in zip(columns, ("used", "ignored"), strict=True):
        canvas.note(x, 36, name, "bold", "middle")
    for y, (filler, found) in zip((62, 112), writes.items(), strict=True):
        for s, word in enumerate(SOURCE):
            kind = ("off" if filler == PAD else "lit") if word is PAD else ""
            canvas.token(first + s * step, y, filler if word is PAD else word, step - 4, kind)
        for x, (word, probability) in zip(columns, found, strict=True):
            canvas.note(x, y - 1, f"“{word}”", "", "middle")
            canvas.note(x, y + 15, f"{probability:.2f}", "", "middle")
        (seen, p), (other, q) = found
        said.append(f"with {filler} {filler} it is {seen} at {p:.2f} if the mask is used, else {other} at {q:.2f}")
    canvas.note(first - 24, 162, "the mask says, both times", "")
    for s, word in enumerate(SOURCE):
        canvas.text(first + s * step, 186, str(int(word is not PAD)))
    for x, (before, after) in zip(columns, zip(*writes.values(), strict=True), strict=True):
        canvas.note(x, 162, "same" if abs(before[1] - after[1]) < 1e-3 else "changed", "bold", "middle")
    return canvas.finish(
        "A test for padding",
        "Dan sings . pad pad is read, and then Dan sings . tea tea with the same mask, 1 1 1 0 0. The most likely word"
        f" after sjunger: {'; '.join(said)}.",
    )


def positions(mask: Sequence[int]) -> tuple[Sequence[int], Sequence[int | None]]:
    """Return the running sum of a mask, and the position of each word, which is the sum up to it minus 1.

    Example:
        >>> positions((0, 0, 1, 1))
        ([0, 0, 1, 2], [None, None, 0, 1])
    """
    sums = list(accumulate(mask))
    return sums, [total - 1 if real else None for total, real in zip(sums, mask, strict=True)]


def padding_sides() -> Drawing:
    """Draw two texts to continue, with padding on the right and on the left, and how positions are counted."""
    canvas, long, short = Canvas(296), BATCH[0], BATCH[-1]
    empty = len(long) - len(short)
    first, step = 36, 64
    rows = {38: [*long, "?"], 74: [*short, "?", *[PAD] * (empty - 1)]}
    rows |= {142: [*long, "?"], 178: [*[PAD] * empty, *short, "?"]}
    for y, name in ((16, "padding on the right"), (120, "padding on the left")):
        canvas.note(first - 30, y, name, "bold")
    for y, row in rows.items():
        for s, word in enumerate(row):
            canvas.token(first + s * step, y, word, step - 4, {PAD: "off", "?": "lit"}.get(word, ""))
    mask = [0] * empty + [1] * len(short)
    sums, places = positions(mask)
    below = {"mask": mask, "running sum": sums, "position": places}
    said = []
    for y, (name, numbers) in zip((224, 252, 280), below.items(), strict=True):
        kind = "bold" if name == "position" else ""
        written = ["–" if value is None else str(value) for value in numbers]
        for s, word in enumerate(written):
            canvas.text(first + s * step, y, word, kind)
        canvas.note(first + len(mask) * step - 28, y, name, kind or "quiet")
        said.append(f"{name} {' '.join(written)}")
    return canvas.finish(
        "Padding on the right and on the left",
        "Two texts to continue, I like ice cream and Dan sings. With padding on the right, the next words, marked by ?,"
        " go into columns 4 and 2. With padding on the left, both go into column 4. For pad pad Dan sings there is"
        f" below: {'; '.join(said)}.",
    )


def in_twos(lengths: Sequence[int]) -> tuple[int, int]:
    """Return how many places sentences take in batches of two, and how many of these are padding.

    Example:
        >>> in_twos(LENGTHS), in_twos(sorted(LENGTHS))
        ((46, 14), (34, 2))
    """
    places = sum(2 * max(pair) for pair in zip(lengths[::2], lengths[1::2], strict=True))
    return places, places - sum(lengths)


def sorted_batches() -> Drawing:
    """Draw four sentences in two batches of two, as they come and sorted by length."""
    canvas, said = Canvas(168), []
    for x, name, lengths in ((26, "as they come", LENGTHS), (206, "sorted by length", sorted(LENGTHS))):
        places, padding = in_twos(lengths)
        canvas.note(x, 16, name, "bold")
        for i, words in enumerate(lengths):
            y, wide = 28 + i * ROW + i // 2 * 18, max(lengths[i // 2 * 2 : i // 2 * 2 + 2])
            canvas.note(x - 6, y + 13, str(words), anchor="end")
            for s in range(wide):
                style = {"class_": "cell layer", "fill_opacity": "0.5"} if s < words else {"class_": "off"}
                canvas.add("rect", x=x + s * PLACE, y=y, width=PLACE, height=ROW, **style)
        canvas.note(x, 138, f"{places} places")
        canvas.note(x, 158, f"{padding} are padding", "bold")
        said.append(f"{name}, {', '.join(map(str, lengths))} words take {places} places, and {padding} are padding")
    return canvas.finish("The same sentences, sorted", f"In two batches of two: {'; '.join(said)}.")


def _row(canvas: Canvas, y: float, sentence: Sequence[str], longest: int) -> None:
    """Draw a sentence as tokens, filled up with dashed ones on its right."""
    for s, word in enumerate([*sentence, *[PAD] * (longest - len(sentence))]):
        canvas.token(FIRST + s * STEP, y, word, WIDE, "off" if word is PAD else "")
