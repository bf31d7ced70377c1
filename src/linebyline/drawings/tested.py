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
    canvas, floor, left, pitch = Canvas(354), 164, 132, 66
    canvas.box(4, 8, 84, 34, "sampler")
    canvas.line((92, 25), (112, 25))
    for i, letter in enumerate("abaacb"):
        canvas.token(130 + 32 * i, 25, letter, 28)
    canvas.note(352, 30, "… 100", "", "end")
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
            canvas.text(x - pitch / 2, floor + 164, "+")
    canvas.line((left - 36, floor), (left + 2 * pitch + 36, floor), arrow=False)
    for row, words in enumerate(("counted", "expected", "difference", "squared", "÷ expected")):
        canvas.note(4, floor + 52 + 28 * row, words, ("weight", "query", "", "", "")[row])
    canvas.text(left + 2.9 * pitch, floor + 164, f"= {number(sum(shares))}", "bold")
    canvas.text(left + 2.9 * pitch + 8, floor + 186, "χ²", "bold")
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
    canvas, zero, unit = Canvas(326), 96, 82
    said = []
    for r, (top, numbers) in enumerate(zip((22, 168), ROUNDS, strict=True)):
        after = [z + gumbel(u) for z, u in zip(LOGITS, numbers, strict=True)]
        winner = int(np.argmax(after))
        canvas.text(4, top, f"draw {r + 1}", "bold", "start")
        for i, (z, end) in enumerate(zip(LOGITS, after, strict=True)):
            y, role = top + 28 + 50 * i, ("weight", "query")[i]
            canvas.note(4, y + 5, f"token {i + 1}", role)
            canvas.note(4, y + 23, f"logit {z:.2f}" if z else "logit 0")
            canvas.add("circle", cx=zero + unit * z, cy=y, r=5, class_=f"head {role}")
            canvas.line((zero + unit * z, y), (zero + unit * end, y), kind=role, width=2.5)
            sign = "+" if end > z else "−"
            middle = zero + unit * (z + end) / 2
            canvas.note(middle, y - 10, f"{sign} {abs(end - z):.2f}", "", "middle")
            best = i == winner
            at = min(zero + unit * end + (8 if end > z else -8), 294 if best else 400)
            canvas.note(at, y + 18, f"{end:.2f}" + ", the largest" * best, "bold" if best else "", "middle")
        said.append(f"in draw {r + 1} they end at {after[0]:.2f} and {after[1]:.2f}, so token {winner + 1} is taken")
    canvas.line((zero - 20, 298), (356, 298))
    for k in range(4):
        canvas.note(zero + unit * k, 318, str(k), anchor="middle")
    return canvas.finish(
        "The largest after noise",
        f"Two tokens with the logits {LOGITS[0]:.2f} and 0 on an axis, and arrows for the noise that is added:"
        f" {'; '.join(said)}.",
    )


def decays() -> tuple[np.ndarray, ...]:
    """Return ten lifetimes of an atom with the rate 9 and of one with the rate 1, (RACES,) each."""
    u = np.random.default_rng(12).random((2, RACES))
    return tuple(-np.log(row) / rate for row, rate in zip(u, RATES, strict=True))


def races() -> Drawing:
    """Draw ten races of two atoms: when each decays, and which is first."""
    canvas, left, width, top = Canvas(312), 24, 232, 44
    fast, slow = decays()
    longest = 1.5  # later decays are not drawn
    for k, role in enumerate(("weight", "query")):
        canvas.add("circle", cx=left + 62 + 84 * k, cy=15, r=6, class_=f"head {role}")
        canvas.note(left + 74 + 84 * k, 20, f"rate {RATES[k]}", role)
    canvas.note(356, 20, "first", "", "end")
    for r, pair in enumerate(zip(fast, slow, strict=True)):
        y = top + 22 * r
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


def stopped_sum() -> tuple[float, float, float]:
    """Return where the parts of tokens 1, 2 and 359 of 50,257 end on the line, in half precision."""
    shares = 1 / np.arange(1, 50_258)
    ends = (shares / shares.sum()).astype(np.float16).cumsum()
    return float(ends[0]), float(ends[1]), float(ends[-1])


def stopped_line() -> Drawing:
    """Draw a line whose parts end at 0.593, and a dart beyond the end, before and after scaling."""
    canvas, left, wide = Canvas(318), 20, 320
    first, second, last = stopped_sum()
    for top, at, words in ((66, DART, f"dart at {DART}"), (226, DART * last, f"dart at {DART} × {last:.4f} = ")):
        x = left + wide * at
        for begin, end, opacity in ((0.0, first, 0.5), (first, second, 0.3), (second, last, 0.12)):
            place: dict[str, Any] = {"x": left + wide * begin, "y": top, "width": wide * (end - begin), "height": 34}
            canvas.add("rect", **place, class_="cell weight", fill_opacity=opacity)
        canvas.add("rect", x=left + wide * last, y=top, width=wide * (1 - last), height=34, class_="off")
        canvas.text(left + wide * first / 2, top + 22, "1", "bold")
        canvas.text(left + wide * (first + second) / 2, top + 22, "2", "bold")
        canvas.note(left + wide * (second + last) / 2, top + 22, "3 to 359", "", "middle")
        for place_, mark in ((0.0, "0"), (last, f"{last:.3f}"), (1.0, "1")):
            canvas.note(left + wide * place_, top + 52, mark, "", "middle")
        canvas.line((x, top - 28), (x, top - 2), kind="query", width=2)
        shown = words + (f"{at:.4f}" if at != DART else "")
        canvas.text(x, top - 36, shown, "query")
    canvas.note(left + wide * (1 + last) / 2 - 24, 88, "no token", "", "middle")
    x, start = left + wide * DART, left + wide * first / 2
    canvas.line((x, 104), (x, 140), (start, 140), (start, 108), kind="query", width=2)
    canvas.note((x + start) / 2, 158, "nothing exceeds it, so token 1 is returned", "", "middle")
    canvas.note(180, 304, "tokens 360 to 50,257 have no part in either line", "", "middle")
    return canvas.finish(
        "A line that ends too early",
        f"Two lines from 0 to 1. On both, token 1 has the part up to {first:.3f}, token 2 the part up to {second:.3f},"
        f" and tokens 3 to 359 the rest up to {last:.3f}; beyond it is nothing. Above, a dart at {DART} hits no token,"
        f" and token 1 is returned. Below, the dart is multiplied by {last:.4f} and is at {DART * last:.4f}, in the"
        " part of tokens 3 to 359.",
    )
