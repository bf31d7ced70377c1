"""Counting to a thousand in bfloat16, whose numbers are 2 apart from 256 on."""

import torch

from .kit import Canvas, Drawing

FIRST, LAST, TERMS = 254, 260, 1000
LEFT, EACH, LINE = 36, 48, 78  # where the first number is drawn, the distance of whole numbers, and their line


def total() -> int:
    """Return what a sum of ones is after a thousand steps, each rounded to bfloat16."""
    reached = torch.zeros((), dtype=torch.bfloat16)
    for _ in range(TERMS):
        reached += 1
    return int(reached.item())


def lost_count() -> Drawing:
    """Draw the numbers of bfloat16 around 256 as ticks, and the sum 257 on its way back to 256."""
    canvas, stop = Canvas(136), total()
    canvas.line((6, LINE), (354, LINE), arrow=False)
    places = {n: LEFT + EACH * (n - FIRST) for n in range(FIRST, LAST + 1)}
    there = [n for n in places if torch.tensor(float(n), dtype=torch.bfloat16).item() == n]
    for n in there:
        canvas.line((places[n], LINE - 8), (places[n], LINE + 8), arrow=False)
        canvas.text(places[n], LINE + 27, str(n), "bold" if n == stop else "")
    here, lost = places[stop], places[stop + 1]
    canvas.add("circle", cx=lost, cy=LINE, r=5, class_="filled weight")
    canvas.text(lost, LINE - 44, f"{stop} + 1 = {stop + 1}", "weight")
    canvas.line((lost, LINE - 8), (lost, LINE - 26), (here, LINE - 26), (here, LINE - 11), kind="weight")
    canvas.note(180, LINE + 52, "ticks: the numbers that bfloat16 has", anchor="middle")
    return canvas.finish(
        "A sum that stops at 256 in bfloat16",
        f"A line with ticks at {', '.join(map(str, there))}, the numbers of bfloat16 there. The sum {stop} + 1 ="
        f" {stop + 1} has no tick; it is halfway between {stop} and {stop + 2}, and an arrow leads from it back to"
        f" {stop}.",
    )
