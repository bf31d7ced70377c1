"""What each training run reads of the small world, as a drawing: texts about all, conversations about half."""

from .kit import WIDTH, Canvas, Drawing

GROUPS = (
    ("20 people", "texts and conversations", True),
    ("20 other people", "texts only: the test", False),
    ("80 sums", "texts and conversations", True),
    ("200 new sums", "in neither: the test", False),
)


def who_is_asked() -> Drawing:
    """Draw four groups of facts and sums, and which of the two training runs reads about them."""
    canvas = Canvas(48 + 44 * len(GROUPS))
    for x, head in ((196, "texts"), (290, "conversations")):
        canvas.note(x, 18, head, "bold", "middle")
    for row, (name, _, taught) in enumerate(GROUPS):
        y, in_texts = 50 + 44 * row, row < 3
        canvas.text(2, y + 5, name, "" if taught else "bold", "start")
        for x, yes in ((196, in_texts), (290, taught)):
            canvas.add(
                "rect",
                x=x - 38,
                y=y - 15,
                width=76,
                height=30,
                rx=4,
                class_="cell weight" if yes else "empty",
                fill_opacity=0.3,
            )
            canvas.note(x, y + 5, "read" if yes else "not read", "" if yes else "quiet", "middle")
        canvas.line((2, y + 22), (WIDTH - 2, y + 22), kind="off", arrow=False)
    told = "; ".join(f"{name}: {where}" for name, where, _ in GROUPS)
    return canvas.finish("What is read, and what is tested", told + ".")
