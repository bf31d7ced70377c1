"""Learning curves of several models in one picture, with a line for each seed."""

from collections.abc import Mapping, Sequence

from .kit import Canvas, Drawing

LEFT, TOP, WIDE, HIGH = 36, 46, 312, 170
ROLES = ("query", "weight", "key")
LABELS = ((350, TOP - 10), (350, TOP + 116), (350, TOP + 138))  # where the name of each model ends


def learning_curves(models: Mapping[str, Sequence[Sequence[float]]], every: int, at: int) -> Drawing:
    """Draw how often three models are right: a value every so many steps, for each seed, and a mark at a step."""
    canvas, said = Canvas(TOP + HIGH + 46), []
    steps = every * (len(next(iter(models.values()))[0]) - 1)
    for fraction in (0, 0.5, 1):
        y = TOP + HIGH * (1 - fraction)
        canvas.line((LEFT, y), (LEFT + WIDE, y), arrow=False, kind="off")
        canvas.note(LEFT - 6, y + 5, f"{fraction:g}", "", "end")
    x = LEFT + WIDE * at / steps
    canvas.line((x, TOP), (x, TOP + HIGH + 6), arrow=False, kind="off")
    for step, anchor in ((0, "middle"), (at, "middle"), (steps, "end")):
        canvas.note(LEFT + WIDE * step / steps, TOP + HIGH + 20, f"{step:,}", "", anchor)
    canvas.note(LEFT + WIDE / 2, TOP + HIGH + 38, "steps", anchor="middle")
    canvas.note(2, 16, "both weeks right")
    for (name, seeds), role, (end, y) in zip(models.items(), ROLES, LABELS, strict=True):
        for seed in seeds:
            points = [(LEFT + WIDE * n * every / steps, TOP + HIGH * (1 - part)) for n, part in enumerate(seed)]
            canvas.line(*points, kind=role, arrow=False)
        canvas.note(end, y, name, role, "end")
        said.append(f"{name}: {_ends(seeds, at // every)} after {at:,} steps, {_ends(seeds, -1)} after {steps:,}")
    return canvas.finish(
        "Learning curves",
        f"Steps to the right, the fraction of journeys with both weeks right upward. {'; '.join(said)}.",
    )


def _ends(seeds: Sequence[Sequence[float]], at: int) -> str:
    """Return the lowest and the highest value of all seeds at one place."""
    found = [seed[at] for seed in seeds]
    return f"{min(found):.2f} to {max(found):.2f}"
