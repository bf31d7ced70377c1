"""How the next token is chosen: temperatures, penalties, the dart that draws a token, and cuts of the tail."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from clearformer import decoding
from clearformer import functional as F

from .kit import NORMAL, SMALL, Canvas, Drawing, number

NAMES, LOGITS, TAUS = ("array", "input", "output"), (2.0, 1.0, 0.5), (0.5, 1.0, 2.0)
# A text so far, the logits of three tokens, and the strength of each penalty.
WORDS, CAME, BEFORE = ("of", "the", "sum"), (0, 1, 0, 0), (4.0, 3.0, 2.0)
STRENGTHS = {"frequency": 0.8, "presence": 1.5, "repetition": 2.5}
# Five tokens on a line, and a dart.
PARTS, DART = (0.5, 0.25, 0.15, 0.07, 0.03), 0.62
SURE, UNSURE = (0.9, 0.04, 0.03, 0.01, 0.01, 0.01), (0.25, 0.2, 0.2, 0.15, 0.1, 0.1)
CUTS: dict[str, dict[str, Any]] = {"k = 3": {"k": 3}, "top-p 0.75": {"p": 0.75}, "min-p 0.3": {"min_p": 0.3}}


def temperatures() -> Drawing:
    """Draw what three temperatures make of three logits."""
    canvas, left, pitch, wide = Canvas(128), 66, 100, 62
    for column, tau in enumerate(TAUS):
        x = left + pitch * column
        canvas.text(x + wide / 2, 16, f"τ = {number(tau)}", "bold")
        for i, share in enumerate(F.softmax(np.array(LOGITS) / tau)):
            y = 30 + 32 * i
            canvas.add("rect", x=x, y=y, width=wide * float(share), height=22, class_="filled weight")
            canvas.note(x + wide * float(share) + 5, y + 16, f"{share:.2f}", "")
        canvas.line((x, 26), (x, 122), arrow=False)
    for i, name in enumerate(NAMES):
        canvas.text(4, 46 + 32 * i, name, "bold", "start")
    said = (", ".join(f"{share:.2f}" for share in F.softmax(np.array(LOGITS) / tau)) for tau in TAUS)
    cold, plain, hot = said
    return canvas.finish(
        "Three temperatures",
        f"The probabilities of three tokens with the logits 2, 1 and 0.5. At temperature 0.5 they are {cold}; at 1 they"
        f" are {plain}; at 2 they are {hot}.",
    )


def penalties() -> Drawing:
    """Draw the logits of three tokens before and after each penalty, with the highest of each column framed."""
    canvas, left, cell, top = Canvas(186), 82, 69, 58
    columns = {"no penalty": BEFORE, **{name: penalized(**{name: value}) for name, value in STRENGTHS.items()}}
    signs = ("", "α = 0.8", "β = 1.5", "ρ = 2.5")
    canvas.note(58, 42, "used", anchor="middle")
    for i, word in enumerate(WORDS):
        canvas.text(4, top + 32 * i + 19, word, "bold", "start")
        canvas.note(58, top + 32 * i + 19, f"{CAME.count(i)}×", "", "middle")
    for j, ((name, values), sign) in enumerate(zip(columns.items(), signs, strict=True)):
        x = left + cell * j
        canvas.note(x + 31, 20, name.replace("no penalty", "logit"), "", "middle")
        canvas.note(x + 31, 42, sign, anchor="middle")
        for i, value in enumerate(values):
            canvas.matrix(x + 1, top + 32 * i, [[value]], "weight", top=4, cell=60)
        best = int(np.argmax(values))
        frame: dict[str, Any] = {"x": x - 1, "y": top + 32 * best - 2, "width": 64, "height": 30, "rx": 5}
        canvas.add("rect", **frame, class_="empty query", style="stroke-width:3")
    canvas.note(180, 176, "framed: the token that greedy decoding takes", anchor="middle")
    told = "; ".join(f"{name}: {', '.join(number(value) for value in values)}" for name, values in columns.items())
    return canvas.finish(
        "Three penalties, three winners",
        f"Logits of the tokens of, the and sum, of which the first was used three times, the second once and the"
        f" third never. {told}. Without a penalty and with presence, of is highest; with frequency, the; with"
        " repetition, sum.",
    )


def penalized(**strength: float) -> tuple[float, ...]:
    """Return the three logits after a penalty."""
    process = decoding.pipeline(**strength)  # type: ignore[arg-type]
    after = process(torch.tensor([BEFORE], dtype=torch.float64), torch.tensor([CAME]))[0]
    return tuple(after.tolist())


def dart() -> Drawing:
    """Draw five probabilities end to end on a line of length 1, and where a dart hits it."""
    canvas, left, wide, y = Canvas(156), 20, 320, 74
    ends = np.cumsum(PARTS)
    hit = int((ends > DART).argmax())
    for i, (share, end) in enumerate(zip(PARTS, ends, strict=True)):
        x = left + wide * float(end - share)
        place: dict[str, Any] = {"x": x, "y": y, "width": wide * share, "height": 34}
        canvas.add("rect", **place, class_="cell weight", fill_opacity=0.5 if i == hit else 0.12)
        middle = x + wide * share / 2
        if i < 3:
            canvas.text(middle, y + 22, "abcde"[i], "bold")
        else:
            canvas.note(middle, y - 8, "abcde"[i], "bold", "middle")
        if i < 4:
            canvas.note(left + wide * float(end) - (0, 0, 10, -2)[i], y + 52, f"{end:.2f}", "", "middle")
    canvas.note(left, y + 52, "0", "", "middle")
    canvas.note(180, y + 76, "running sums of the probabilities", anchor="middle")
    x = left + wide * DART
    canvas.line((x, 28), (x, y - 2), kind="query", width=2)
    canvas.text(x, 18, f"dart at u = {DART}", "query")
    return canvas.finish(
        "A dart chooses a token",
        "A line from 0 to 1 is cut into five parts, a to e, as long as the probabilities 0.5, 0.25, 0.15, 0.07 and"
        f" 0.03. A dart at {DART} hits the part of {'abcde'[hit]}, which reaches from 0.50 to 0.75.",
    )


def cut_lines() -> Drawing:
    """Draw the line of the dart three times, with what top-k, top-p and min-p keep of it."""
    canvas, left, wide = Canvas(216), 20, 320
    rules: dict[str, tuple[dict[str, Any], str]] = {
        "top-k": ({"k": 2}, "the best 2"),
        "top-p": ({"p": 0.8}, "until 0.8 is reached"),
        "min-p": ({"min_p": 0.1}, "at least 0.1 × 0.5"),
    }
    said = []
    for row, (name, (setting, why)) in enumerate(rules.items()):
        y, end, keep = 30 + 68 * row, 0.0, kept(PARTS, **setting)
        canvas.text(left, y - 9, name, "bold", "start")
        canvas.note(left + wide, y - 9, why, "query" if name == "top-p" else "quiet", "end")
        for letter, share, stays in zip("abcde", PARTS, keep, strict=True):
            place: dict[str, Any] = {"x": left + wide * end, "y": y, "width": wide * share, "height": 30}
            canvas.add("rect", **place, class_="cell weight" if stays else "off", fill_opacity=0.5 if stays else 0)
            size, down = (SMALL, 43) if share < 0.05 else (NORMAL, 20)  # too narrow for its letter
            canvas.text(left + wide * (end + share / 2), y + down, letter, "bold" if stays else "quiet", size=size)
            end += share
        said.append(f"{name} keeps {', '.join(letter for letter, stays in zip('abcde', keep, strict=True) if stays)}")
    x = left + wide * 0.8
    canvas.line((x, 93), (x, 133), kind="query", arrow=False, width=2)
    return canvas.finish(
        "Three cuts of one line",
        f"The line of five probabilities, 0.5, 0.25, 0.15, 0.07 and 0.03, three times. {'; '.join(said)}.",
    )


def stretched() -> Drawing:
    """Draw what top-k keeps of the line, and below it the same two parts stretched to the length 1."""
    canvas, left, wide = Canvas(140), 20, 320
    keep = kept(PARTS, k=2)
    total = sum(share for share, stays in zip(PARTS, keep, strict=True) if stays)
    for y, scale in ((8, 1.0), (86, 1 / total)):
        end = 0.0
        for letter, share in zip("ab", PARTS[:2], strict=True):
            size = wide * share * scale
            place: dict[str, Any] = {"x": left + end, "y": y, "width": size, "height": 30}
            canvas.add("rect", **place, class_="cell weight", fill_opacity=0.5)
            canvas.text(left + end + size / 2, y + 20, f"{letter}  {share * scale:.2f}", "bold")
            end += size
            if scale == 1:
                canvas.line((left + end, y + 34), (left + end / total, 82))
    canvas.add("rect", x=left + wide * total, y=8, width=wide * (1 - total), height=30, class_="off")
    canvas.note(left, 136, "0", "", "middle")
    canvas.note(left + wide, 136, "1", "", "middle")
    return canvas.finish(
        "Renormalizing",
        "The line of five probabilities, of which a and b are left, with 0.50 and 0.25. Stretched to the length 1,"
        f" they have {PARTS[0] / total:.2f} and {PARTS[1] / total:.2f}.",
    )


def orders() -> Drawing:
    """Draw the line of five probabilities through a cut and heat, and beside it through heat and the same cut."""
    canvas, wide, tops = Canvas(240), 164, (32, 106, 180)
    p, heat, nucleus = np.array(PARTS), {"tau": 2.0}, {"p": 0.8}
    said = []
    for left, name, steps in ((4, "cut first", (nucleus, heat)), (192, "heat first", (heat, nucleus))):
        canvas.text(left + wide / 2, 18, name, "bold")
        lines = [p, after(p, **steps[0]), after(after(p, **steps[0]), **steps[1])]
        for y, row, step in zip(tops, lines, (None, *steps), strict=True):
            if step:
                canvas.line((left + wide / 2, y - 40), (left + wide / 2, y - 22), kind="quiet")
                canvas.note(left + wide / 2 + 10, y - 27, "nucleus 0.8" if step is nucleus else "τ = 2")
            end = 0.0
            for letter, share in zip("abcde", row, strict=True):
                place: dict[str, Any] = {"x": left + wide * end, "y": y, "width": wide * share, "height": 30}
                if share:
                    role = "query" if letter == "d" else "weight"
                    canvas.add("rect", **place, class_=f"cell {role}", fill_opacity=0.4)
                if share > 0.1:
                    middle = left + wide * (end + share / 2)
                    canvas.text(middle, y + 20, letter, "bold")
                    if y == tops[-1]:
                        canvas.note(middle, y + 46, f"{share:.2f}".lstrip("0"), "", "middle")
                end += float(share)
        said.append(", ".join(f"{share:.2f}" for share in lines[-1] if share))
    return canvas.finish(
        "Two orders of the same two steps",
        "The line of five probabilities, 0.5, 0.25, 0.15, 0.07 and 0.03. On the left a nucleus of 0.8 is cut first, and"
        f" a temperature of 2 leaves a, b and c with {said[0]}. On the right the temperature comes first, and the"
        f" nucleus leaves a, b, c and d with {said[1]}.",
    )


def after(probabilities: np.ndarray, **setting: Any) -> np.ndarray:
    """Return the probabilities after one step."""
    logits = torch.tensor(probabilities)[None].log()
    steps = decoding.pipeline(**setting)
    return steps(logits, torch.zeros(1, 1, dtype=torch.int64)).softmax(dim=-1)[0].numpy()


def cuts() -> Drawing:
    """Draw a sure prediction and an unsure one, and below each how far three cuts reach."""
    canvas, left, pitch, high, top = Canvas(348), 78, 46, 72, 0.0
    numbers = []
    for who, p in (("a sure prediction", SURE), ("an unsure prediction", UNSURE)):
        canvas.text(left + 3 * pitch, top + 16, who, "bold")
        floor = top + 42 + high * max(p)
        for i, share in enumerate(p):
            x, height = left + pitch * i, max(high * share, 1.5)
            canvas.add("rect", x=x + 4, y=floor - height, width=pitch - 8, height=height, class_="filled weight")
            canvas.note(x + pitch / 2, floor - height - 5, f"{share:.2f}", "", "middle")
        canvas.line((left, floor), (left + 6 * pitch, floor), arrow=False)
        for row, (name, setting) in enumerate(CUTS.items()):
            y, count = floor + 10 + 24 * row, sum(kept(p, **setting))
            canvas.note(left - 8, y + 13, name, "", "end")
            place: dict[str, Any] = {"x": left + 4, "y": y, "width": pitch * count - 8, "height": 17}
            canvas.add("rect", **place, class_="cell weight", rx=4, fill_opacity=0.3)
            canvas.note(left + pitch * count / 2, y + 13, str(count), "bold", "middle")
            numbers.append(count)
        top = floor + 104
    return canvas.finish(
        "Three ways to cut",
        "Six tokens with falling probabilities, twice, and below them bars as long as what is kept. Of a sure"
        f" prediction, top-k with k = 3 keeps {numbers[0]}, top-p at 0.75 keeps {numbers[1]}, and min-p at 0.3 keeps"
        f" {numbers[2]}. Of an unsure one they keep {numbers[3]}, {numbers[4]} and {numbers[5]}.",
    )


def kept(probabilities: Sequence[float], **setting: Any) -> list[bool]:
    """Return for each token whether a cut keeps it."""
    logits = torch.tensor([probabilities], dtype=torch.float64).log()
    after = decoding.pipeline(**setting)(logits, torch.zeros(1, 1, dtype=torch.int64))
    return after[0].isfinite().tolist()
