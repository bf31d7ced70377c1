"""A preference as a drawing: two answers before and after some training, their margin, and how both can fall."""

import math

from .kit import WIDTH, Canvas, Drawing, number

ANSWERS = ("Tina lives in Oslo .", "Oslo .")
BEFORE, AFTER, BETA = (0.05, 0.60), (0.15, 0.30), 0.5
LEAST, LEFT, RIGHT = 0.025, 24, 336  # the axis of probabilities: where it begins, and its two ends in the drawing
#: Three answers, how often each has the word Oslo, and the score of this word before and after a step.
THREE, TIMES, SCORES = ("Oslo", "Oslo Oslo", "Lund"), (1, 2, 0), (0.0, -1.0)


def margin() -> Drawing:
    """Draw how far two answers move on a logarithmic axis of probabilities, and the margin that follows."""
    canvas, axis = Canvas(258), 148
    changes = [math.log(now / then) for then, now in zip(BEFORE, AFTER, strict=True)]
    gain, loss = (f"{change:.2f}".replace("-", "−") for change in changes)
    for row, (role, change) in enumerate(zip(("value", "key"), changes, strict=True)):
        y, (then, now) = 50 + 64 * row, (_place(BEFORE[row]), _place(AFTER[row]))
        canvas.text(2, y - 30, f"{('chosen', 'rejected')[row]}: {ANSWERS[row]}", "bold", "start")
        canvas.line((then, y), (now, y), kind=role, width=4)
        canvas.add("circle", cx=then, cy=y, r=5, class_="plus")
        canvas.note((then + now) / 2, y - 9, f"+{gain}" if change > 0 else loss, "bold", "middle")
        ends = sorted([(then, f"{BEFORE[row]:.2f}"), (now, f"{AFTER[row]:.2f}")])
        canvas.note(ends[0][0] - 10, y + 5, ends[0][1], "", "end")
        canvas.note(ends[1][0] + 10, y + 5, ends[1][1], "", "start")
    canvas.line((LEFT, axis), (RIGHT, axis), arrow=False)
    for p in (0.05, 0.1, 0.2, 0.4, 0.8):
        canvas.line((_place(p), axis), (_place(p), axis + 5), arrow=False)
        canvas.note(_place(p), axis + 20, number(p), anchor="middle")
    canvas.note(WIDTH / 2, axis + 40, "probability; each mark is twice the one before", anchor="middle")
    difference = changes[0] - changes[1]
    canvas.text(2, 216, f"difference: {gain} − ({loss}) = {difference:.2f}", "", "start")
    canvas.text(2, 240, f"margin: {BETA} × {difference:.2f} = {BETA * difference:.2f}", "bold", "start")
    return canvas.finish(
        "The margin of a pair",
        f"On a logarithmic axis, the chosen answer moves from {BEFORE[0]:.2f} to {AFTER[0]:.2f}, by"
        f" {gain}, and the rejected one from {BEFORE[1]:.2f} to {AFTER[1]:.2f}, by {loss}."
        f" The difference, {difference:.2f}, times beta = {BETA} is the margin {BETA * difference:.2f}.",
    )


def probabilities(score: float) -> list[float]:
    """Return the probabilities of the three answers, whose logits are the score of Oslo, so often as they have it.

    Example:
        >>> [f"{p:.2f}" for p in probabilities(-1.0)]
        ['0.24', '0.09', '0.67']
    """
    weights = [math.exp(times * score) for times in TIMES]
    return [weight / sum(weights) for weight in weights]


def three_answers() -> Drawing:
    """Draw how a step that increases the margin of two answers moves three, on a logarithmic axis."""
    before, after = map(probabilities, SCORES)
    canvas, axis, said = Canvas(244), 200, []
    roles = {"chosen": "value", "rejected": "key", "in no pair": ""}
    for row, (answer, (word, role)) in enumerate(zip(THREE, roles.items(), strict=True)):
        y, then, now = 50 + 64 * row, _place(before[row]), _place(after[row])
        change = math.log(after[row] / before[row])
        sign = f"{change:+.2f}".replace("-", "−")
        canvas.text(2, y - 30, f"{word}: {answer}", "bold", "start")
        canvas.line((then, y), (now, y), kind=role, width=4)
        canvas.add("circle", cx=then, cy=y, r=5, class_="plus")
        canvas.note((then + now) / 2, y - 9, sign, "bold", "middle")
        there, here = ("end", "start") if change > 0 else ("start", "end")
        side = 10 if change > 0 else -10
        canvas.note(then - side, y + 5, f"{before[row]:.2f}", "", there)
        canvas.note(now + side, y + 5, f"{after[row]:.2f}", "", here)
        said.append(f"{answer}, {word}, from {before[row]:.2f} to {after[row]:.2f}, a change in nats of {change:.2f}")
    canvas.line((LEFT, axis), (RIGHT, axis), arrow=False)
    for p in (0.1, 0.2, 0.4, 0.8):
        canvas.line((_place(p), axis), (_place(p), axis + 5), arrow=False)
        canvas.note(_place(p), axis + 20, number(p), anchor="middle")
    canvas.note(WIDTH / 2, axis + 40, "probability, with its change in nats", anchor="middle")
    return canvas.finish("Three answers and one step", "; ".join(said) + ".")


def _place(p: float) -> float:
    """Return where a probability is on the axis."""
    return LEFT + (RIGHT - LEFT) * math.log(p / LEAST) / math.log(1 / LEAST)
