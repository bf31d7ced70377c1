"""How counts become probabilities: a table of followers, luck in a count, a discount, and counts of left neighbors."""

from collections import Counter
from itertools import pairwise
from typing import Any

from .kit import Canvas, Drawing, number

FRAGMENTS = (("eats", "cream"), ("on", "skates"), ("buys", "cream"), ("likes", "cream"))  # around "ice"
WORDS = {"cream": 0.01, "skates": 0.01, "tea": 0.02, "all others": 0.96}  # how frequent each is in the whole text
IMAGINED = 6
LETTERS, DISCOUNT = "aabcabcbcbcbc", 0.4
BEFORE = {"Francisco": ("San",) * 4, "tea": ("hot", "green", "no")}  # the word before each occurrence
# Where a coin put each occurrence of four n-grams: on the first list or on the second.
LISTS = {"a cubic spline": (1,), "of the knots": (2,), "the sum of": (1, 2), "if axis is": (1, 1)}


def after_ice() -> dict[str, tuple[float, ...]]:
    """Return for each word its count, its fraction, how frequent it is anywhere, and the mixture.

    Example:
        >>> after_ice()["tea"]
        (0, 0.0, 0.02, 0.012)
    """
    counts = Counter(word for _, word in FRAGMENTS)
    n = sum(counts.values())
    return {w: (counts[w], counts[w] / n, p, (counts[w] + IMAGINED * p) / (n + IMAGINED)) for w, p in WORDS.items()}


def counting() -> Drawing:
    """Draw the four occurrences of a word, the table of what follows it, and its probabilities."""
    canvas, left, cell, table = Canvas(392), 72, 72, after_ice()
    for i, (before, word) in enumerate(FRAGMENTS):
        y = 22 + 34 * i
        canvas.text(112, y + 5, f"… {before}", "quiet", "end")
        canvas.token(156, y, "ice", 64, "lit")
        canvas.token(232, y, word)
        canvas.text(282, y + 5, "…", "quiet", "start")
    canvas.line((180, 146), (180, 170))
    canvas.text(4, 194, "after ice", "bold", "start")
    heads = ("count", "count ÷ 4", "anywhere", "mixed")
    for j, head in enumerate(heads):
        canvas.note(left + (j + 0.5) * cell, 194, head, "weight" if j == 3 else "", "middle")
    for i, (word, values) in enumerate(table.items()):
        y = 208 + 36 * i
        canvas.text(4, y + 19, word, "", "start")
        for j, value in enumerate(values):
            x, digits = left + j * cell, (0, 2, 2, 3)[j]
            if j:
                canvas.gauge(x + cell / 2, y + 13, value, cell - 10)
            canvas.note(x + cell / 2, y + 18, f"{value:.{digits}f}" if value else "0", "", "middle")
    canvas.note(left + 2 * cell, 372, f"mixed: (count + {IMAGINED} × anywhere) ÷ (4 + {IMAGINED})", "", "middle")
    said = "; ".join(
        f"{word}: {', '.join(number(v) for v in values[:3])}, {values[3]:.3f}" for word, values in table.items()
    )
    return canvas.finish(
        "From a text to a table",
        "The word ice, four times in a text, three times before cream and once before skates. Below, for each word,"
        f" its count after ice, its fraction, how frequent it is anywhere, and the mixture of both. {said}.",
    )


def discounted() -> dict[str, tuple[int, float, float]]:
    """Return for each letter its count after *a*, what is kept of its probability, and what it receives.

    Example:
        >>> [round(kept + received, 3) for _, kept, received in discounted().values()]
        [0.262, 0.636, 0.103]
    """
    counts = Counter(b for a, b in pairwise(LETTERS) if a == "a")
    n, single = sum(counts.values()), Counter(LETTERS)
    taken = DISCOUNT * len(counts) / n
    return {w: (counts[w], max(counts[w] - DISCOUNT, 0) / n, taken * single[w] / len(LETTERS)) for w in sorted(single)}


def discount() -> Drawing:
    """Draw the counts after a letter with what is taken from each, and the probabilities with what each receives."""
    canvas, floor, wide, unit, scale = Canvas(372), 300, 44, 80, 270
    rows, heap = discounted(), 76
    taken = sum(received for *_, received in rows.values())
    for i, letter in enumerate(LETTERS):
        x = 24 + 26 * i
        canvas.text(x, 20, letter, "bold" if letter == "a" else "")
        if LETTERS[i : i + 2].startswith("a"):
            canvas.line((x + 6, 15), (x + 19, 15), kind="weight")
    for x, words in ((88, "counts after a"), (276, "probabilities")):
        canvas.text(x, 54, words, "bold")
    for i, (letter, (count, kept, received)) in enumerate(rows.items()):
        for x, parts, label in (
            (38 + 50 * i, ((count - DISCOUNT) * unit * bool(count), DISCOUNT * unit * bool(count)), str(count)),
            (226 + 50 * i, (kept * scale, received * scale), f"{kept + received:.3f}"),
        ):
            low, high = parts
            place: dict[str, Any] = {"x": x - wide / 2, "width": wide}
            if low:
                canvas.add("rect", **place, y=floor - low, height=low, class_="cell weight", fill_opacity=0.45)
            if high:
                canvas.add("rect", **place, y=floor - low - high, height=high, class_="cell query", fill_opacity=0.35)
            canvas.note(x, floor - low - high - 6, label, "", "middle")
            digits = 2 if x < 180 else 3
            for size, below in ((low, 0.0), (high, low)):
                if size:
                    value = size / (unit if x < 180 else scale)
                    words = number(value) if digits == 2 else f"{value:.3f}"
                    canvas.note(x, floor - below - size / 2 + 5, words, "", "middle")
            canvas.text(x, floor + 20, letter)
            top = floor - low - high - 24
            if x > 180:
                canvas.line((x, heap + 12 * (x < 246)), (x, top), kind="query")
            elif high:
                canvas.line((x, top), (x, heap), kind="query", arrow=False)
    for x in (14, 202):
        canvas.line((x, floor), (x + 148, floor), arrow=False)
    canvas.line((38, heap), (112, heap), kind="query")
    canvas.line((246, heap), (326, heap), kind="query", arrow=False)
    canvas.add("rect", x=116, y=heap - 12, width=130, height=24, rx=6, class_="cell query", fill_opacity=0.35)
    single = ":".join(str(LETTERS.count(letter)) for letter in rows)
    canvas.note(88, 346, f"{number(DISCOUNT)} off each count", "query", "middle")
    total = sum(count for count, *_ in rows.values())
    canvas.note(88, 364, f"above 0: {number(taken * total)} in all", "query", "middle")
    canvas.note(181, heap + 5, f"{number(taken * total)} ÷ {total} = {taken:.3f}", "", "middle")
    canvas.note(276, 346, f"shared as {single}", "query", "middle")
    said = ", ".join(f"{kept + received:.3f} to {letter}" for letter, (_, kept, received) in rows.items())
    return canvas.finish(
        "A discount is taken and given away",
        f"The letters {LETTERS}, with an arrow from each a to the letter after it. Bars of the counts after a: a 1, b"
        f" 2, c 0, with {number(DISCOUNT)} taken off the top of a and of b. Arrows lead from there to a heap,"
        f" {taken:.3f} in all, and from the heap to bars of the probabilities, to which it is added according to how"
        f" frequent each letter is. This gives {said}.",
    )


def on_lists(ngram: str) -> tuple[int, int]:
    """Return how often the n-gram is on the first list and on the second.

    Example:
        >>> on_lists("the sum of")
        (1, 1)
    """
    return LISTS[ngram].count(1), LISTS[ngram].count(2)


def two_lists() -> Drawing:
    """Draw four n-grams, and on which of two lists a coin put each occurrence; those once on the first are lit."""
    canvas, pitch, columns = Canvas(264), 38, (192, 298)
    canvas.text(4, 20, "n-gram", "bold", "start")
    for x, head in zip(columns, ("first list", "second list"), strict=True):
        canvas.text(x, 20, head, "bold")
    once = [ngram for ngram in LISTS if on_lists(ngram)[0] == 1]
    for i, ngram in enumerate(LISTS):
        y = 48 + pitch * i
        if ngram in once:
            canvas.add("rect", x=1, y=y - 17, width=352, height=34, rx=6, class_="cell query", fill_opacity=0.15)
        canvas.text(6, y + 5, ngram, "bold" if ngram in once else "", "start")
        for x, times in zip(columns, on_lists(ngram), strict=True):
            for j in range(times):
                canvas.add(
                    "circle", cx=x + 24 * (j - (times - 1) / 2), cy=y, r=9, class_="cell weight", fill_opacity=0.6
                )
            if not times:
                canvas.text(x, y + 5, "–", "quiet")
    mean = sum(on_lists(ngram)[1] for ngram in once) / len(once)
    canvas.note(4, 200, "the shaded two: 1 each on the first list,", "query")
    canvas.note(4, 218, f"{number(mean)} each on the second, on average", "query")
    gained = next(ngram for ngram in LISTS if not on_lists(ngram)[0])
    canvas.note(4, 238, f"{gained}: unseen on the first list,", "weight")
    canvas.note(4, 256, f"{on_lists(gained)[1]} on the second", "weight")
    said = "; ".join(f"{ngram}: {on_lists(ngram)[0]} and {on_lists(ngram)[1]}" for ngram in LISTS)
    return canvas.finish(
        "Two lists, filled by a coin",
        f"Four n-grams, and how often each is on the first and on the second list. {said}. Those that are once on the"
        f" first list, {' and '.join(once)}, are on the second {number(mean)} times on average;"
        f" {gained} is only on the second.",
    )


def _neighbors(words: dict[str, tuple[str, ...]], height: float, widths: tuple[int, int]) -> Canvas:
    """Draw what comes before each occurrence of two words or sequences, and count occurrences and left neighbors."""
    canvas, middle = Canvas(height), (height - 56) / 2
    n_before = sum(len(before) for before in words.values())
    n_different = sum(len(set(before)) for before in words.values())
    for left, wide, (word, before) in zip((0, 188), widths, words.items(), strict=True):
        for i, each in enumerate(before):
            y = middle + 31 * (i - (len(before) - 1) / 2)
            canvas.token(left + wide / 2 + 4, y, each, wide)
            canvas.line((left + wide + 7, y), (left + wide + 34, middle + (y - middle) * 0.2), kind="key")
        canvas.text(left + wide + 40, middle + 5, word, "bold", "start")
        canvas.note(left + 4, height - 40, f"occurrences: {len(before)} of {n_before}", "")
        canvas.note(left + 4, height - 16, f"left neighbors: {len(set(before))} of {n_different}", "key")
    canvas.line((180, 8), (180, height - 6), arrow=False)
    return canvas


def left_neighbors() -> Drawing:
    """Draw the word before each occurrence of two words: many occurrences after one word, and few after many."""
    said = "; ".join(
        f"{w} occurs {len(b)} times, after {len(set(b))} different word{'s' * (len(set(b)) > 1)}"
        for w, b in BEFORE.items()
    )
    return _neighbors(BEFORE, 192, (48, 62)).finish(
        "Occurrences and left neighbors",
        f"Two words and the words before them. {said}: Francisco comes after San only, and tea after"
        f" {', '.join(BEFORE['tea'])}.",
    )


def before_pairs() -> dict[str, tuple[str, ...]]:
    """Return for each pair that begins with *c* the letter before each of its occurrences.

    Example:
        >>> before_pairs()
        {'ca': ('b',), 'cb': ('b', 'b', 'b')}
    """
    threes = [LETTERS[i : i + 3] for i in range(len(LETTERS) - 2)]
    return {pair: tuple(three[0] for three in threes if three[1:] == pair) for pair in ("ca", "cb")}


def pair_neighbors() -> Drawing:
    """Draw the letter before each occurrence of two pairs: the same letter every time."""
    said = "; ".join(f"{pair} occurs {len(b)} time{'s' * (len(b) > 1)}" for pair, b in before_pairs().items())
    return _neighbors(before_pairs(), 158, (32, 32)).finish(
        "Left neighbors of pairs",
        f"Two pairs of letters in {LETTERS} and the letter before each. {said}, always after b, so each has one left"
        " neighbor.",
    )
