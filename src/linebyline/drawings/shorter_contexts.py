"""How a probability is built from the shortest context to the longest, and what a cache counts in the recent tokens."""

from itertools import pairwise
from typing import Any

from .counting import DISCOUNT, LETTERS
from .kit import Canvas, Drawing

CONTEXT, ASKED, ALPHABET = "bc", "b", "abc"
TEXT = "fit a cubic spline to x . a spline has cubic pieces . plot the cubic"
RECENT = tuple(TEXT.split())


def count(context: str, letter: str, neighbors: bool) -> int:
    """Return how often the letter follows the context, or how many left neighbors both together have.

    Example:
        >>> count("c", "b", neighbors=False), count("c", "b", neighbors=True)
        (3, 1)
    """
    both = context + letter
    at = [i for i in range(len(LETTERS)) if LETTERS.startswith(both, i)]
    return len({LETTERS[i - 1] for i in at if i}) if neighbors else len(at)


def steps(letter: str = ASKED, context: str = CONTEXT) -> list[tuple[str, int, int, float, float]]:
    """Return for each context, from none to the longest: its count of the letter, the sum, what is kept and received.

    Nothing is taken from the counts without context, because each letter has some.

    Example:
        >>> [round(kept + received, 3) for *_, kept, received in steps()]
        [0.4, 0.46, 0.742]
    """
    rows, p = list[tuple[str, int, int, float, float]](), 0.0
    for k in range(len(context) + 1):
        last = context[len(context) - k :]
        counts = {w: count(last, w, neighbors=k < len(context)) for w in ALPHABET}
        n = sum(counts.values())
        discount = DISCOUNT if k else 0
        kept = max(counts[letter] - discount, 0) / n
        received = discount * sum(c > 0 for c in counts.values()) / n * p
        rows.append((last, counts[letter], n, kept, received))
        p = kept + received
    return rows


def longer_contexts() -> Drawing:
    """Draw one letter's probability for each context as a bar: what is kept of its count, and what it receives."""
    canvas, left, pitch, scale = Canvas(232), 126, 74, 232
    rows, p = steps(), 0.0
    bar: dict[str, Any] = {"height": 26}
    for i, (context, n, total, kept, received) in enumerate(rows):
        y = 4 + pitch * i
        name = f"after {context}" if context else "no context"
        canvas.text(4, y + 11, name, "bold", "start")
        unit = "times" if i == len(rows) - 1 else "neighbors"
        canvas.note(4, y + 28, f"{n} of {total} {unit}")
        if received:
            for x in (0, p):
                canvas.line((left + x * scale, y - pitch + 26), (left + x * received / p * scale, y), arrow=False)
            canvas.note(left + max(p, received) * scale + 8, y - 19, f"× {received / p:.3g}", "query")
            canvas.add("rect", x=left, y=y, width=received * scale, **bar, class_="cell query", fill_opacity=0.35)
        canvas.add(
            "rect", x=left + received * scale, y=y, width=kept * scale, **bar, class_="cell weight", fill_opacity=0.45
        )
        for start, part in ((0, received), (received, kept)):
            if part * scale > 40:
                canvas.note(left + (start + part / 2) * scale, y + 18, f"{part:.3g}", "", "middle")
            elif part:  # below the bar
                canvas.note(left + start * scale + 4, y + 42, f"{round(part, 3):.3g}", "")
        p = kept + received
        canvas.note(left + p * scale + 6, y + 18, f"{p:.3g}", "bold")
    canvas.note(4, 224, "from the bar above", "query")
    canvas.note(156, 224, "kept of the count", "weight")
    said = "; ".join(
        f"{'after ' + c if c else 'without context'} {n} of {total} counts, {received:.3f} from the bar above and"
        f" {kept:.3f} kept, together {kept + received:.3f}"
        for c, n, total, kept, received in rows
    )
    return canvas.finish(
        "From the shortest context to the longest",
        f"One bar below the other for the letter {ASKED}. Each bar but the first consists of"
        f" a part of the bar above and of what is kept of its count: {said}.",
    )


def cached(word: str = "spline", table: float = 0.01, imagined: int = 8) -> tuple[int, int, float]:
    """Return how often a word came after the last token, how often anything did, and the mixture with a table.

    Example:
        >>> came, times, mixed = cached()
        >>> came, times, round(mixed, 3)
        (1, 2, 0.108)
    """
    after = [b for a, b in pairwise(RECENT) if a == RECENT[-1]]
    n = after.count(word)
    return n, len(after), (n + imagined * table) / (len(after) + imagined)


def cache_of_tokens() -> Drawing:
    """Draw recent tokens with what came after each occurrence of the last one."""
    canvas, pitch, wide = Canvas(204), 74, 56
    for i, word in enumerate((*RECENT, "?")):
        x, y = 32 + pitch * (i % 5), 20 + 38 * (i // 5)
        canvas.token(x, y, word, wide, "lit" if word == RECENT[-1] else "")
        if word == RECENT[-1] and i + 1 < len(RECENT):
            canvas.line((x + wide / 2 + 3, y), (x + pitch - wide / 2 - 4, y), kind="query", width=2)
    n, times, _ = cached()
    last = RECENT[-1]
    canvas.note(180, 186, f"after {last}: spline {n} of {times} times", "query", "middle")
    return canvas.finish(
        "What a cache counts",
        f"The recent tokens {' '.join(RECENT)}, and a question mark for the next. Arrows lead from the earlier"
        f" occurrences of {last} to what followed: spline {n} of {times} times.",
    )
