"""Padded batches: a forgotten mask and a test for it, padding on both sides, and sorted batches."""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from .kit import CELL, WIDTH, Canvas, Drawing

Way = tuple[Sequence[float], str, float]
LONG, SHORT = ("I", "like", "ice", "cream"), ("Dan", "sings")
PAD = "pad"
SOURCE = ("Dan", "sings", ".", PAD, PAD)
# Of the kept translator after sjunger, by what is hidden: its weights, its next word, and the probability of a period.
WAYS: dict[str, Way] = {
    "both masks": ((0.04, 0.03, 0.93, 0.0, 0.0), ".", 0.9),
    "no encoder mask": ((0.05, 0.03, 0.92, 0.0, 0.0), ".", 0.9),
    "no cross-attention mask": ((0.01, 0.01, 0.27, 0.61, 0.11), ".", 0.83),
    "neither mask": ((0.003, 0.002, 0.15, 0.7, 0.15), "will", 0.09),
}
# For a right and a wrong id of padding: the probability of a period, alone and in the batch.
PERIODS = {"right": (0.9, 0.9), "wrong": (0.9, 0.09)}
LENGTHS = (4, 12, 5, 11)  # of four sentences that are put into batches of two
PLACE, ROW = 12, 17  # the width of a place in these batches, and the height of a sentence


def forgotten_mask(ways: Mapping[str, Way] = WAYS) -> Drawing:
    """Draw what the word after ``sjunger`` looks at, and the next word, for each mask that is left out.

    The example has the weights of the kept translator: the mean over the heads of its last block.
    """
    canvas, said = Canvas(46 + 56 * len(ways)), []
    left, step, wide = 4, 44, 72
    next_word, bar = left + step * len(SOURCE) + 30, WIDTH - 4 - wide / 2
    for y, words, probability in ((14, "next", "probability"), (30, "word", "of a period")):
        canvas.note(next_word, y, words, "", "middle")
        canvas.note(bar, y, probability, "", "middle")
    for s, word in enumerate(SOURCE):
        canvas.token(left + (s + 0.5) * step, 24, word, step - 3, "off" if word is PAD else "")
    for i, (name, (row, word, period)) in enumerate(ways.items()):
        y = 72 + 56 * i
        canvas.note(left, y - 7, name, "bold")
        for s, weight in enumerate(row):
            place: dict[str, Any] = {"x": left + s * step, "y": y, "width": step, "height": CELL}
            style = {"class_": "off"} if weight == 0 else {"class_": "cell weight", "fill_opacity": 0.05 + 0.6 * weight}
            canvas.add("rect", **place, **style)
            canvas.note(left + (s + 0.5) * step, y + 18, f"{weight:.2f}" if weight else "0", "", "middle")
        canvas.note(next_word, y + 18, f"“{word}”", "", "middle")
        canvas.bar(bar, y + CELL / 2, period, wide)
        each = ", ".join(f"{weight:.2f} on {key}" for key, weight in zip(SOURCE, row, strict=True) if weight)
        said.append(f"{name}, {each}; the next word is {word}, and a period has the probability {period:.2f}")
    return canvas.finish("Masks left out", f"Weights of the word after sjunger: {'. '.join(said)}.")


def padding_test(periods: Mapping[str, Sequence[float]] = PERIODS) -> Drawing:
    """Draw a sentence alone and beside a longer one, and the probability of a period for a right and a wrong mask."""
    canvas, said = Canvas(298), []
    first, step, right, wide = 74, 45, WIDTH - 4, 72
    canvas.note(right - wide / 2, 14, "probability", "", "middle")
    canvas.note(right - wide / 2, 30, "of a period", "", "middle")
    for top, (name, (alone, beside)) in zip((30, 172), periods.items(), strict=True):
        same = abs(alone - beside) < 1e-3
        masks = {3: [1] * 3, 5: [1] * 3 + [int(not same)] * 2}
        canvas.note(4, top, f"{name} id of padding", "bold")
        for y, n, probability, how in ((top + 28, 3, alone, "alone"), (top + 82, 5, beside, "batch")):
            canvas.note(46, y + 5, how, "", "end")
            canvas.note(46, y + 29, "mask", anchor="end")
            for s, word in enumerate(SOURCE[:n]):
                canvas.token(first + s * step, y, word, step - 4, "off" if word is PAD else "")
                canvas.text(first + s * step, y + 29, str(masks[n][s]), "" if word is PAD else "quiet", size=13)
            canvas.bar(right - wide / 2, y, probability, wide)
        canvas.note(right - wide / 2, top + 112, "same" if same else "changed", "bold", "middle")
        said.append(
            f"with the {name} id of padding the mask of the batch is {' '.join(map(str, masks[5]))}, and the"
            f" probability is {alone:.2f} alone and {beside:.2f} in the batch"
        )
    return canvas.finish(
        "A sentence alone and in a batch",
        "Dan sings . is read alone, with the mask 1 1 1, and as Dan sings . pad pad beside a longer sentence. The"
        f" probability of a period after sjunger: {'; '.join(said)}.",
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
    canvas = Canvas(342)
    empty = len(LONG) - len(SHORT)
    first, step = 84, 60
    rows = {64: [*LONG, "?"], 100: [*SHORT, "?", *[PAD] * empty]}
    rows |= {186: [*LONG, "?"], 222: [*[PAD] * empty, *SHORT, "?"]}
    for y, name in ((16, "padding on the right"), (138, "padding on the left")):
        canvas.note(4, y, name, "bold")
        canvas.note(4, y + 22, "column")
        for s in range(len(LONG) + 1):
            canvas.note(first + s * step, y + 22, str(s), "quiet", "middle")
    for y, row in rows.items():
        for s, word in enumerate(row):
            canvas.token(first + s * step, y, word, step - 4, {PAD: "off", "?": "lit"}.get(word, ""))
    mask = [0] * empty + [1] * (len(SHORT) + 1)
    sums, places = positions(mask)
    said = []
    for y, (name, numbers) in zip((268, 296, 324), (("mask", mask), ("sum", sums), ("position", places)), strict=True):
        kind = "bold" if name == "position" else ""
        written = [str(value).replace("-", "−") for value in numbers]
        for s, word in enumerate(written):
            canvas.text(first + s * step, y, word, kind if mask[s] else "quiet")
        canvas.note(4, y, name, kind or "quiet")
        said.append(f"{name} {' '.join(written)}")
    return canvas.finish(
        "Padding on the right and on the left",
        "Two texts to continue, I like ice cream and Dan sings. With padding on the right, the next words, marked by ?,"
        " go into columns 4 and 2. With padding on the left, both go into column 4. For pad pad Dan sings ? there is"
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
