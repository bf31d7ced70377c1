"""Padded batches: means that padding must not enter, a forgotten mask and a test for it, and sorted batches."""

from collections.abc import Mapping, Sequence
from itertools import accumulate

from .kit import CELL, Canvas, Drawing, number

Way = tuple[Sequence[float], tuple[str, float], float]
BATCH = (("I", "like", "ice", "cream"), ("Mary", "loves", "tea"), ("Dan", "sings"))
PAD = "pad"
# For each place where padding must not count: the numbers of the two words and of the padding after them.
PLACES = {
    "1. attention: the values": (2.0, 4.0, 9.0, 9.0),
    "2. loss of each position": (1.0, 3.0, 0.0, 0.0),
    "3. one feature of the vectors": (8.0, 2.0, 0.0, 0.0),
}
FIRST, STEP, WIDE = 36, 62, 56  # the middle of the first column, from one to the next, and the width of a token
BOTH = (274, 330)  # the columns of the two means
SOURCE = ("Dan", "sings", ".", PAD, PAD)
# Of the kept translator after sjunger, by what is hidden: its weights, its next word, and the probability of a period.
WAYS: dict[str, Way] = {
    "both masks": ((0.04, 0.03, 0.93, 0.0, 0.0), (".", 0.9), 0.9),
    "no encoder mask": ((0.05, 0.03, 0.92, 0.0, 0.0), (".", 0.9), 0.9),
    "no cross-attention mask": ((0.01, 0.01, 0.27, 0.61, 0.11), (".", 0.83), 0.83),
    "neither mask": ((0.003, 0.002, 0.15, 0.7, 0.15), ("will", 0.21), 0.09),
    "cross-attention sees only padding": ((0.0, 0.0, 0.0, 0.86, 0.14), ("will", 0.47), 0.0),
}
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
    for x, head in zip(BOTH, ("all four", "words"), strict=True):
        canvas.note(x, 151, head, "bold" if head == "words" else "", "middle")
    said = []
    for y, (place, numbers) in zip((166, 226, 286), PLACES.items(), strict=True):
        canvas.note(FIRST - WIDE / 2, y - 9, place, "bold")
        for s, value in enumerate(numbers):
            left = FIRST + s * STEP - WIDE / 2
            if s < words:
                canvas.matrix(left, y, [[number(value)]], "layer", cell=WIDE)
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


def forgotten_mask(ways: Mapping[str, Way] = WAYS) -> Drawing:
    """Draw what the word after ``sjunger`` looks at, and the next word, for each mask that is left out.

    The example has the weights of the kept translator: the mean over the heads of its last block.
    """
    canvas, said = Canvas(44 + 56 * len(ways)), []
    left, step = 4, 46
    columns = (left + step * len(SOURCE) + 40, 334)
    for x, words in zip(columns, ("next word", "period"), strict=True):
        canvas.note(x, 29, words, "", "middle")
    for s, word in enumerate(SOURCE):
        canvas.token(left + (s + 0.5) * step, 24, word, step - 3, "off" if word is PAD else "")
    for i, (name, (row, (word, probability), period)) in enumerate(ways.items()):
        y = 70 + 56 * i
        canvas.note(left, y - 7, name, "bold")
        for s, weight in enumerate(row):
            if weight == 0:
                canvas.add("rect", x=left + s * step, y=y, width=step, height=CELL, class_="off")
                canvas.note(left + (s + 0.5) * step, y + 18, "0", anchor="middle")
            else:
                canvas.matrix(left + s * step, y, [[f"{weight:.2f}"]], "weight", cell=step)
        canvas.note(columns[0], y + 18, f"“{word}” {probability:.2f}", "", "middle")
        canvas.note(columns[1], y + 18, f"{period:.2f}", "bold", "middle")
        each = ", ".join(f"{weight:.2f} on {key}" for key, weight in zip(SOURCE, row, strict=True) if weight)
        said.append(
            f"{name}, {each}; the most likely next word is {word} with probability {probability:.2f},"
            f" and that of a period is {period:.2f}"
        )
    return canvas.finish("Masks left out", f"Weights of the word after sjunger: {'. '.join(said)}.")


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


def positions(mask: Sequence[int]) -> tuple[Sequence[int], Sequence[int]]:
    """Return the running sum of a mask, and that sum minus 1, which is the position of each word.

    Example:
        >>> positions((0, 0, 1, 1))
        ([0, 0, 1, 2], [-1, -1, 0, 1])
    """
    sums = list(accumulate(mask))
    return sums, [total - 1 for total in sums]


def padding_sides() -> Drawing:
    """Draw two texts to continue, with padding on the right and on the left, and how positions are counted."""
    canvas, long, short = Canvas(342), BATCH[0], BATCH[-1]
    empty = len(long) - len(short)
    first, step = 36, 64
    rows = {64: [*long, "?"], 100: [*short, "?", *[PAD] * (empty - 1)]}
    rows |= {186: [*long, "?"], 222: [*[PAD] * empty, *short, "?"]}
    for y, name in ((16, "padding on the right"), (138, "padding on the left")):
        for s in range(len(long) + 1):
            canvas.note(first + s * step, y + 22, str(s), "quiet", "middle")
        canvas.note(first - 30, y, name, "bold")
    for y, row in rows.items():
        for s, word in enumerate(row):
            canvas.token(first + s * step, y, word, step - 4, {PAD: "off", "?": "lit"}.get(word, ""))
    mask = [0] * empty + [1] * len(short)
    sums, places = positions(mask)
    said = []
    for y, (name, numbers) in zip((268, 296, 324), (("mask", mask), ("sum", sums), ("minus 1", places)), strict=True):
        kind = "bold" if name == "minus 1" else ""
        written = [str(value).replace("-", "−") for value in numbers]
        for s, word in enumerate(written):
            canvas.text(first + s * step, y, word, kind if mask[s] else "quiet")
        canvas.note(first + len(mask) * step - 28, y, name, kind or "quiet")
        said.append(f"{name} {' '.join(written)}")
    return canvas.finish(
        "Padding on the right and on the left",
        "Two texts to continue, I like ice cream and Dan sings. With padding on the right, the next words, marked by ?,"
        " go into columns 4 and 2. With padding on the left, both go into column 4. For pad pad Dan sings there is"
        f" below: {'; '.join(said)}.",
    )


def in_twos(lengths: Sequence[int]) -> tuple[int, int]:
    """Return how many positions sentences take in batches of two, and how many of these are padding.

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
        canvas.note(x, 138, f"{places} positions")
        canvas.note(x, 158, f"{padding} are padding", "bold")
        said.append(f"{name}, {', '.join(map(str, lengths))} words take {places} positions, and {padding} are padding")
    return canvas.finish("The same sentences, sorted", f"In two batches of two: {'; '.join(said)}.")


def _row(canvas: Canvas, y: float, sentence: Sequence[str], longest: int) -> None:
    """Draw a sentence as tokens, filled up with dashed ones on its right."""
    for s, word in enumerate([*sentence, *[PAD] * (longest - len(sentence))]):
        canvas.token(FIRST + s * STEP, y, word, WIDE, "off" if word is PAD else "")
