"""Two processes add up their gradients: each is responsible for one of the two numbers."""

from itertools import pairwise

from .kit import CELL, Canvas, Drawing

GRADIENTS = ((1, 5), (3, 2))
COLUMNS, ROWS = (88, 272), (62, 156, 250)  # the middle of each process, and of each row
WIDE = 40
ROLES = ("layer", "weight")


def sums() -> tuple[int, ...]:
    """Return the sums that every process needs.

    Example:
        >>> sums()
        (4, 7)
    """
    return tuple(map(sum, zip(*GRADIENTS, strict=True)))


def all_reduce() -> Drawing:
    """Draw the numbers before, between and after the two rounds, and what travels in each."""
    canvas, total = Canvas(268), sums()
    own: list[tuple[str, ...]] = [tuple(map(str, gradient)) for gradient in GRADIENTS]
    ends: list[tuple[str, ...]] = [tuple(map(str, total))] * 2
    between: list[tuple[str, ...]] = [(ends[0][0], ""), ("", ends[1][1])]
    for process, x in enumerate(COLUMNS):
        canvas.text(x, 18, f"process {process + 1}", "bold")
        for y, state in zip(ROWS, (own, between, ends), strict=True):
            for i, words in enumerate(state[process]):
                left = x - WIDE + WIDE * i
                canvas.matrix(left, y - CELL / 2, [[words]], ROLES[i] if words else "", cell=WIDE)
    for turn, (y, after) in enumerate(pairwise(ROWS)):
        top, low = y + 17, after - 17
        for process, x in enumerate(COLUMNS):
            to = 1 - process
            sent = to if turn == 0 else process  # the number that this process sends
            start = x - WIDE / 2 + WIDE * sent
            end = COLUMNS[to] - WIDE / 2 + WIDE * sent
            canvas.line((start, top), (end, low), kind=ROLES[sent])
            kept = 1 - sent if turn == 0 else sent
            at = x - WIDE / 2 + WIDE * kept
            canvas.line((at, top), (at, low), kind="off", arrow=False)
        canvas.note(180, y - 2, f"round {turn + 1}:", anchor="middle")
        canvas.note(180, y + 14, ("send, add", "send sums")[turn], anchor="middle")
    return canvas.finish(
        "An all-reduce with two processes",
        f"Process 1 has the gradient {GRADIENTS[0]}, process 2 the gradient {GRADIENTS[1]}. In the first round process"
        f" 2 sends its first number to process 1, which adds it up to {total[0]}, and process 1 sends its second number"
        f" to process 2, which adds it up to {total[1]}. In the second round each sends its sum to the other, so both"
        f" have {total}.",
    )
