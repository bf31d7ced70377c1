"""The recall task of the chapter on attention: one of many names is asked for, and its thing is the answer."""

from .kit import Canvas, Drawing

PAIRS = (("Ann", "kite"), ("Bob", "drum"), ("Eve", "book"), ("Tom", "lamp"))
WIDE, STEP, KEYS, VALUES, ASKED = 60.0, 66.0, 96.0, 160.0, 30.0


def answer(asked: str) -> str:
    """Return the thing of the name that is asked for.

    Example:
        >>> answer("Eve"), answer("Ann")
        ('book', 'kite')
    """
    return dict(PAIRS)[asked]


def recall_task(asked: str = "Eve") -> Drawing:
    """Draw the first pairs of a list, the name that is asked for, and the way to its thing."""
    canvas = Canvas(240)
    places = {name: 94 + i * STEP for i, (name, _) in enumerate(PAIRS)}
    rows = (ASKED, "asked for", "(query)"), (KEYS, "names", "(keys)"), (VALUES, "things", "(values)")
    for y, first, second in rows:
        canvas.note(0, y - 2, first, "")
        canvas.note(0, y + 13, second)
    canvas.token(places[asked], ASKED, asked, WIDE, "lit")
    canvas.line((places[asked], ASKED + 16), (places[asked], KEYS - 17), kind="query", width=2)
    for name, thing in PAIRS:
        found = "lit" if name == asked else ""
        canvas.token(places[name], KEYS, name, WIDE, found)
        canvas.line((places[name], KEYS + 15), (places[name], VALUES - 15), kind="" if found else "off", arrow=False)
        canvas.token(places[name], VALUES, thing, WIDE, found)
    canvas.text(places["Tom"] + 44, KEYS + 37, "…", "quiet")
    canvas.line((places[asked], VALUES + 16), (places[asked], 202), kind="value", width=2)
    canvas.note(0, 226, "answer", "")
    canvas.token(places[asked], 221, answer(asked), WIDE, "lit")
    pairs = ", ".join(f"{name} with {thing}" for name, thing in PAIRS)
    return canvas.finish(
        "The recall task",
        f"Names above things, in pairs: {pairs}, and so on. Above them the name that is asked for, {asked}, has an"
        f" arrow to the same name in the list; below it an arrow leads from its thing, {answer(asked)}, to the answer.",
    )
