"""The memory of a graphics card as a drawing: the weights of a model, and beside them as many conversations as fit."""

from typing import Any

from .kit import WIDTH, Canvas, Drawing

CARD = 80.0  # GiB
USES = ((32, 12.55, 2.0), (8, 11.05, 0.5))  # key-value heads, GiB of the weights, GiB of a conversation
LEFT, HEIGHT = 2, 44


def card_room() -> Drawing:
    """Draw a card twice: with a key-value head for each of 32 heads, and with one for each group of four."""
    canvas, scale, told = Canvas(172), (WIDTH - 2 * LEFT) / CARD, []
    for row, (heads, weights, each) in enumerate(USES):
        y, n = 26 + 84 * row, int((CARD - weights) // each)
        canvas.text(LEFT, y - 8, f"{heads} key-value heads: {n} conversations", "bold", "start")
        for k in range(n):
            x = LEFT + scale * (weights + k * each)
            about: dict[str, Any] = {"class_": "cell key", "fill_opacity": 0.25, "stroke_width": 0.5}
            canvas.add("rect", x=x, y=y, width=scale * each, height=HEIGHT, **about)
        canvas.add("rect", x=LEFT, y=y, width=scale * weights, height=HEIGHT, class_="cell weight", fill_opacity=0.3)
        canvas.note(LEFT + scale * weights / 2, y + 27, "weights", "", "middle")
        canvas.add("rect", x=LEFT, y=y, width=scale * CARD, height=HEIGHT, class_="empty")
        told.append(f"with {heads} key-value heads, {weights} GiB of weights and {n} conversations of {each} GiB")
    canvas.note(WIDTH - LEFT, 168, "80 GiB", anchor="end")
    return canvas.finish("What fits on a card of 80 GiB", "; ".join(told) + ".")
