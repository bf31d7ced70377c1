"""The time of one step of decoding on a graphics card, with and without shared heads."""

from .kit import WIDTH, Canvas, Drawing

RATE = 2039e9 / 2**30  # GiB that an A100 fetches in a second
#: Key-value heads, conversations, GiB of the model's weights, GiB of the cache of a conversation.
CASES = ((32, 33, 12.55, 2.0), (8, 33, 11.05, 0.5), (8, 137, 11.05, 0.5))
LEFT, HEIGHT, STEP, LONGEST = 4, 30, 92, 42.0  # the last in milliseconds: the whole width


def times(conversations: int, weights: float, each: float) -> tuple[float, float]:
    """Return the milliseconds for the caches and for the weights, rounded as they are shown.

    Example:
        >>> times(33, 12.55, 2.0)
        (34.8, 6.6)
    """
    return round(1000 * conversations * each / RATE, 1), round(1000 * weights / RATE, 1)


def step_times() -> Drawing:
    """Draw the time of a step for three cases: a bar for the caches, and one for the model's weights."""
    canvas, scale, told = Canvas(STEP * len(CASES) - 4), (WIDTH - 2 * LEFT) / LONGEST, []
    for row, (heads, conversations, weights, each) in enumerate(CASES):
        y, name = 30 + STEP * row, f"{heads} key-value heads, {conversations} conversations"
        of_caches, of_weights = times(conversations, weights, each)
        canvas.text(LEFT, y - 10, name, "bold", "start")
        x: float = LEFT
        for role, words, part in (("key", "caches", of_caches), ("weight", "", of_weights)):
            canvas.add("rect", x=x, y=y, width=scale * part, height=HEIGHT, class_=f"cell {role}", fill_opacity=0.3)
            canvas.text(x + scale * part / 2, y + 20, f"{'' if row else words} {part}".strip(), size=13)
            x += scale * part
        whole = of_caches + of_weights
        a_second = f"{round(1000 * conversations / whole, -2):,.0f}"
        end = f"{whole:.1f} ms, {a_second} tokens a second"
        canvas.note(LEFT, y + HEIGHT + 18, end, "")
        told.append(f"{name}: {of_caches} ms for the caches and {of_weights} ms for the weights, so {end}")
    return canvas.finish("The time of one step", f"{'. '.join(told)}.")
