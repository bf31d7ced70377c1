"""Padded batches: three means that padding must not enter, words after padding on the left, and sorted batches."""

from collections.abc import Sequence

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


def left_padding() -> Drawing:
    """Draw two sentences with their padding on the left, with the column of each word and its place in the sentence."""
    canvas, longest = Canvas(216), len(BATCH[0])
    right = FIRST + 3 * STEP + 44
    for y, sentence in ((28, BATCH[0]), (136, BATCH[-1])):
        _row(canvas, y, sentence, longest, left=True)
        canvas.line((right - 14, y), (right - 2, y))
        canvas.note(right, y + 5, "next word", "")
        start = longest - len(sentence)
        for below, name, first in ((40, "column", 0), (62, "position", start)):
            kind = "bold" if name == "position" else ""
            canvas.note(right, y + below, name, kind)
            for s in range(longest):
                canvas.text(FIRST + s * STEP, y + below, str(s - first) if s >= first else "–", kind)
    return canvas.finish(
        "Padding on the left",
        "I like ice cream fills the columns 0 to 3. Dan sings has two tokens of padding before it, so its words are in"
        " the columns 2 and 3, but their positions, counted from the first word, are 0 and 1. Both sentences end in"
        " column 3, and the next word of each is written after it.",
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


def _row(canvas: Canvas, y: float, sentence: Sequence[str], longest: int, *, left: bool = False) -> None:
    """Draw a sentence as tokens, filled up with dashed ones on its right or its left."""
    filler = [PAD] * (longest - len(sentence))
    for s, word in enumerate([*filler, *sentence] if left else [*sentence, *filler]):
        canvas.token(FIRST + s * STEP, y, word, WIDE, "off" if word is PAD else "")
