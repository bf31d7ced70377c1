"""The test of a sampler: counts against what is expected, noisy logits, a race, and a line that ends early."""

from typing import Any

import numpy as np

from .kit import Canvas, Drawing, number

EXPECTED, COUNTED = (50, 30, 20), (45, 36, 19)  # of 100 tokens
LOGITS = (float(np.log(9)), 0.0)
ROUNDS = ((0.5, 0.6), (0.1, 0.9))  # a uniform number for each token, twice
RATES, RACES = (9, 1), 10
DART = 0.8


def chi_square_steps() -> Drawing:
    """Draw 100 tokens as counts beside what is expected, and how the differences become one number."""
    canvas, floor, left, pitch = Canvas(368), 164, 132, 66
    canvas.box(4, 8, 84, 34, "sampler")
    canvas.line((92, 25), (112, 25))
    for i, letter in enumerate("abac"):
        canvas.token(130 + 32 * i, 25, letter, 28)
    canvas.note(250, 30, "… 100 draws", "")
    shares = [(n - e) ** 2 / e for n, e in zip(COUNTED, EXPECTED, strict=True)]
    for i, (letter, n, e, share) in enumerate(zip("abc", COUNTED, EXPECTED, shares, strict=True)):
        x = left + pitch * i
        canvas.add("rect", x=x - 22, y=floor - 2 * n, width=44, height=2 * n, class_="filled weight")
        canvas.line((x - 28, floor - 2 * e), (x + 28, floor - 2 * e), kind="query", arrow=False, width=2.5)
        canvas.text(x, floor + 20, letter, "bold")
        cells = (str(n), str(e), number(n - e), number((n - e) ** 2), number(share))
        for row, words in enumerate(cells):
            canvas.text(x, floor + 52 + 28 * row, words, ("weight", "query", "", "", "bold")[row])
        if i:
            canvas.text(x - pitch / 2 - 3 * (i - 1), floor + 164, "+")
    canvas.line((left - 36, floor), (left + 2 * pitch + 36, floor), arrow=False)
    for row, words in enumerate(("counted", "expected", "difference", "squared", "÷ expected")):
        canvas.note(4, floor + 52 + 28 * row, words, ("weight", "query", "", "", "")[row])
    canvas.text(left + pitch, floor + 194, f"χ² = {number(sum(shares))}", "bold")
    canvas.note(4, floor + 194, "sum")
    said = ", ".join(map(number, shares))
    return canvas.finish(
        "From counts to one number",
        f"A sampler draws 100 tokens. Bars show that a, b and c were counted {', '.join(map(str, COUNTED))} times;"
        f" lines mark the {', '.join(map(str, EXPECTED))} that were expected. The squared differences, divided by what"
        f" was expected, are {said}, and their sum is {number(sum(shares))}.",
    )


def gumbel(u: float) -> float:
    """Return Gumbel noise from a uniform number.

    Example:
        >>> [round(gumbel(u), 2) for u in (0.01, 0.5, 0.99)]
        [-1.53, 0.37, 4.6]
    """
    return float(-np.log(-np.log(u)))


def noisy_logits() -> Drawing:
    """Draw two logits on an axis, and twice where their noise moves them."""
    canvas, zero, unit = Canvas(342), 96, 82
    said = []
    for r, (top, numbers) in enumerate(zip((22, 168), ROUNDS, strict=True)):
        after = [z + gumbel(u) for z, u in zip(LOGITS, numbers, strict=True)]
        winner = int(np.argmax(after))
        canvas.text(4, top, f"draw {r + 1}", "bold", "start")
        for i, (z, end) in enumerate(zip(LOGITS, after, strict=True)):
            y, role = top + 28 + 50 * i, ("weight", "query")[i]
            canvas.note(4, y + 5, f"token {i + 1}", role)
            canvas.note(4, y + 23, f"logit {z:.3f}" if z else "logit 0")
            canvas.add("circle", cx=zero + unit * z, cy=y, r=5, class_=f"head {role}")
            canvas.line((zero + unit * z, y), (zero + unit * end, y), kind=role, width=2.5)
            sign = "+" if end > z else "−"
            middle = zero + unit * (z + end) / 2
            canvas.note(middle, y - 10, f"{sign} {abs(end - z):.3f}", "", "middle")
            best = i == winner
            at = min(zero + unit * end + (8 if end > z else -8), 294 if best else 400)
            canvas.note(at, y + 18, f"{end:.3f}" + ", wins" * best, "bold" if best else "", "middle")
        said.append(f"in draw {r + 1} they end at {after[0]:.3f} and {after[1]:.3f}, so token {winner + 1} wins")
    canvas.line((zero - 20, 298), (356, 298))
    for k in range(4):
        canvas.note(zero + unit * k, 318, str(k), anchor="middle")
    canvas.note(zero + unit * 1.5, 337, "logit + noise", anchor="middle")
    return canvas.finish(
        "The largest after noise",
        f"Two tokens with the logits {LOGITS[0]:.3f} and 0 on an axis, and arrows for the noise that is added:"
        f" {'; '.join(said)}.",
    )


def decays() -> tuple[np.ndarray, ...]:
    """Return ten lifetimes of an atom with the rate 9 and of one with the rate 1, (RACES,) each."""
    u = np.random.default_rng(12).random((2, RACES))
    u[:, 7] = ROUNDS[1]  # the example of the text, won by rate 1
    return tuple(-np.log(row) / rate for row, rate in zip(u, RATES, strict=True))


def races() -> Drawing:
    """Draw ten races of two atoms: when each decays, and which is first."""
    canvas, left, width, top = Canvas(312), 24, 232, 44
    fast, slow = decays()
    longest = 1.5  # later decays are arrows
    for k, role in enumerate(("weight", "query")):
        canvas.add("circle", cx=left + 62 + 84 * k, cy=15, r=6, class_=f"head {role}")
        canvas.note(left + 74 + 84 * k, 20, f"rate {RATES[k]}", role)
    canvas.note(356, 20, "decays first", "", "end")
    for r, pair in enumerate(zip(fast, slow, strict=True)):
        y = top + 22 * r
        canvas.note(16, y + 5, str(r + 1), "", "end")
        canvas.line((left, y), (left + width, y), arrow=False, width=0.5)
        for time, role in zip(pair, ("weight", "query"), strict=True):
            if time < longest:
                canvas.add("circle", cx=left + width * float(time / longest), cy=y, r=6, class_=f"head {role}")
            else:
                canvas.line((left + width - 12, y), (left + width + 6, y), kind=role, width=2)
        first = int(np.argmin(pair))
        canvas.note(356, y + 5, f"rate {RATES[first]}", ("weight", "query")[first], "end")
    floor = top + 22 * RACES
    canvas.line((left, floor), (left + width + 12, floor))
    for tick in (0, 0.5, 1, longest):
        x = left + width * tick / longest
        canvas.line((x, floor - 4), (x, floor + 4), arrow=False)
        canvas.note(x, floor + 22, number(tick), anchor="middle")
    canvas.note(left + width / 2, floor + 42, "time of decay", anchor="middle")
    return canvas.finish(
        "Ten races of two atoms",
        "Ten lines of time, each with the decay of an atom of rate 9 and of one of rate 1. The first is the earlier"
        f" in {int((fast < slow).sum())} of {RACES} races.",
    )


def stopped_sum() -> tuple[np.ndarray, np.ndarray]:
    """Return where the parts of 50,257 tokens end on the line, in double and in half precision."""
    shares = 1 / np.arange(1, 50_258)
    shares /= shares.sum()
    return shares.cumsum(), shares.astype(np.float16).cumsum().astype(float)


def hit(ends: np.ndarray, dart: float) -> int:
    """Return the rank of the token that a dart hits.

    Example:
        >>> hit(np.array([0.5, 1.0]), 0.8)
        2
    """
    return int(np.searchsorted(ends, dart, side="right")) + 1


def stopped_line() -> Drawing:
    """Draw the exact line, one whose parts end at 0.593, and a dart beyond that end."""
    canvas, left, wide = Canvas(326), 20, 320
    exact, half = stopped_sum()
    last = float(half[-1])
    exact_hit = hit(exact, DART)
    rows = (
        (76, exact, DART, "exact sums", f"dart at {DART} hits token {exact_hit:,}", 240),
        (218, half, DART, "half precision", f"dart at {DART}", left + wide * DART),
    )
    for top, ends, at, name, words, middle in rows:
        end = round(float(ends[-1]), 4)
        borders = (0.0, float(ends[0]), float(ends[1]), float(ends[358]), end)
        names = ("1", "2", "3 to 359", "360 to 50,257")
        for begin, close, opacity, said in zip(borders, borders[1:], (0.5, 0.3, 0.12, 0.04), names, strict=False):
            if close - begin > 0.001:
                place: dict[str, Any] = {"x": left + wide * begin, "y": top, "width": wide * (close - begin)}
                canvas.add("rect", **place, height=34, class_="cell weight", fill_opacity=opacity)
                canvas.note(left + wide * (begin + close) / 2, top + 22, said, "", "middle")
        canvas.add("rect", x=left + wide * end, y=top, width=wide * (1 - end), height=34, class_="off")
        for mark in ("0", f"{borders[3]:.3f}", "1"):
            canvas.note(left + wide * float(mark), top + 52, mark, "", "middle")
        canvas.text(4, top - 54, name, "bold", "start")
        x = left + wide * at
        canvas.line((x, top - 26), (x, top - 2), kind="query", width=2)
        canvas.text(middle, top - 32, words, "query")
    top, start, x = rows[1][0], left + wide * float(half[0]) / 2, left + wide * DART
    canvas.note(left + wide * (1 + last) / 2 - 24, top + 22, "no token", "", "middle")
    canvas.line((x, top + 38), (x, top + 72), (start, top + 72), (start, top + 38), kind="query", width=2)
    canvas.note((x + start) / 2, top + 92, "so token 1 is returned", "query", "middle")
    return canvas.finish(
        "A line that ends too early",
        f"Two lines from 0 to 1. On the first, token 1 has the part up to {exact[0]:.3f}, token 2 the part up to"
        f" {exact[1]:.3f}, tokens 3 to 359 the part up to {exact[358]:.3f}, and tokens 360 to 50,257 the rest; a dart"
        f" at {DART} hits token {exact_hit:,}. On the second, tokens 3 to 359 end at {last:.3f}, and the rest is empty:"
        f" the dart at {DART} hits no token, and token 1 is returned.",
    )
