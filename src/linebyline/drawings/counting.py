"""How counts become probabilities: a table of followers, a discount that is handed on, and places instead of counts."""

from collections import Counter
from itertools import pairwise
from typing import Any

from .kit import Canvas, Drawing, number

FRAGMENTS = (("eats", "cream"), ("on", "skates"), ("buys", "cream"), ("likes", "cream"))  # around "ice"
WORDS = {"cream": 0.01, "skates": 0.01, "tea": 0.02, "all others": 0.96}  # how frequent each is in the whole text
IMAGINED = 6
LETTERS, DISCOUNT = "aabcabcbcbc", 0.5
PLACES = {"Francisco": ("San",) * 6, "tea": ("hot", "green", "my", "no")}  # the words before each occurrence


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
    """Draw the four places of a word, the table of what follows it, and its probabilities."""
    canvas, left, cell, table = Canvas(392), 80, 70, after_ice()
    for i, (before, word) in enumerate(FRAGMENTS):
        y = 22 + 34 * i
        canvas.text(112, y + 5, f"… {before}", "quiet", "end")
        canvas.token(156, y, "ice", 64, "lit")
        canvas.token(232, y, word)
        canvas.text(282, y + 5, "…", "quiet", "start")
    canvas.line((180, 146), (180, 170))
    canvas.text(4, 194, "after ice", "bold", "start")
    heads = ("count", "÷ 4", "anywhere", "mixed")
    for j, head in enumerate(heads):
        canvas.note(left + (j + 0.5) * cell, 194, head, "weight" if j == 3 else "", "middle")
    for i, (word, values) in enumerate(table.items()):
        y = 208 + 36 * i
        canvas.text(4, y + 19, word, "", "start")
        for j, value in enumerate(values):
            x, digits = left + j * cell, (0, 2, 2, 3)[j]
            if j:
                canvas.gauge(x + cell / 2, y + 13, value, cell - 10)
            canvas.note(x + cell / 2, y + 18, f"{value:.{digits}f}", "", "middle")
    canvas.note(left + 2 * cell, 372, f"mixed: (count + {IMAGINED} × anywhere) ÷ (4 + {IMAGINED})", "", "middle")
    said = "; ".join(
        f"{word}: {', '.join(number(v) for v in values[:3])}, {values[3]:.3f}" for word, values in table.items()
    )
    return canvas.finish(
        "From a text to a table",
        "The word ice at four places of a text, three times before cream and once before skates. Below, for each word,"
        f" its count after ice, its fraction, how frequent it is anywhere, and the mixture of both. {said}.",
    )


def discounted() -> dict[str, tuple[int, float, float]]:
    """Return for each letter its count after *a*, what is kept of its probability, and what it receives.

    Example:
        >>> [round(kept + received, 3) for _, kept, received in discounted().values()]
        [0.258, 0.621, 0.121]
    """
    counts = Counter(b for a, b in pairwise(LETTERS) if a == "a")
    n, single = sum(counts.values()), Counter(LETTERS)
    taken = DISCOUNT * len(counts) / n
    return {w: (counts[w], max(counts[w] - DISCOUNT, 0) / n, taken * single[w] / len(LETTERS)) for w in sorted(single)}


def discount() -> Drawing:
    """Draw the counts after a letter with what is taken from each, and the probabilities with what each receives."""
    canvas, floor, wide, unit, scale = Canvas(258), 184, 36, 60, 210
    rows = discounted()
    taken = sum(received for *_, received in rows.values())
    for x, words in ((86, "counts after a"), (274, "probabilities")):
        canvas.text(x, 18, words, "bold")
    for i, (letter, (count, kept, received)) in enumerate(rows.items()):
        for x, parts, label in (
            (38 + 48 * i, ((count - DISCOUNT) * unit * bool(count), DISCOUNT * unit * bool(count)), str(count)),
            (226 + 48 * i, (kept * scale, received * scale), f"{kept + received:.3f}"),
        ):
            low, high = parts
            place: dict[str, Any] = {"x": x - wide / 2, "width": wide}
            if low:
                canvas.add("rect", **place, y=floor - low, height=low, class_="cell weight", fill_opacity=0.45)
            if high:
                canvas.add("rect", **place, y=floor - low - high, height=high, class_="cell query", fill_opacity=0.35)
            canvas.note(x, floor - low - high - 6, label, "", "middle")
            if low > 26 and x < 180:
                canvas.note(x, floor - low / 2 + 5, number(count - DISCOUNT), "", "middle")
            elif low > 26:
                canvas.note(x, floor - low / 2 + 5, f"{kept:.2f}", "", "middle")
            canvas.text(x, floor + 20, letter)
    for x in (14, 202):
        canvas.line((x, floor), (x + 144, floor), arrow=False)
    canvas.line((160, 92), (196, 92), kind="query")
    single = ":".join(str(LETTERS.count(letter)) for letter in rows)
    canvas.note(86, 230, f"{number(DISCOUNT)} off each count", "query", "middle")
    canvas.note(86, 248, "above 0: 1 in all", "query", "middle")
    canvas.note(274, 230, f"1 of 3 is {taken:.3f},", "query", "middle")
    canvas.note(274, 248, f"shared as {single}", "query", "middle")
    said = ", ".join(f"{kept + received:.3f} to {letter}" for letter, (_, kept, received) in rows.items())
    return canvas.finish(
        "A discount is taken and given away",
        f"Bars of the counts after a: a 1, b 2, c 0, with {number(DISCOUNT)} taken off the top of a and of b. Beside"
        f" them bars of the probabilities, on which what was taken, {taken:.3f} in all, is added according to how"
        f" frequent each letter is. This gives {said}.",
    )


def places() -> Drawing:
    """Draw the words before each occurrence of two words: many occurrences in one place, and few in many places."""
    canvas = Canvas(240)
    for x, (word, before) in zip((86, 286), PLACES.items(), strict=True):
        different = sorted(set(before), key=before.index)
        for i, each in enumerate(different):
            y = 70 + 32 * (i - (len(different) - 1) / 2)
            canvas.token(x - 50, y, each, 66)
            times = before.count(each)
            canvas.line((x - 14, y), (x + 10, 70 + (y - 70) * 0.4), kind="key", width=1 + times * 0.8)
            if times > 1:
                canvas.note(x - 2, y - 12, f"{times}×", "key", "middle")
        canvas.text(x + 22, 75, word, "bold", "start", 13 if len(word) > 4 else 15)
        canvas.note(x - 10, 164, f"occurrences: {len(before)}", "", "middle")
        canvas.note(x - 10, 190, f"places: {len(different)}", "key", "middle")
    canvas.line((186, 8), (186, 200), arrow=False)
    canvas.note(180, 228, "places: different words before it", anchor="middle")
    said = "; ".join(
        f"{w} occurs {len(b)} times, after {len(set(b))} different word{'s' * (len(set(b)) > 1)}"
        for w, b in PLACES.items()
    )
    return canvas.finish(
        "Occurrences and places",
        f"Two words and the words before them. {said}: Francisco comes after San only, and tea after"
        f" {', '.join(PLACES['tea'])}.",
    )
