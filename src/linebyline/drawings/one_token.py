"""One token on a laptop: the time in which memory delivers what it needs, and the time to compute with it."""

from .kit import Canvas, Drawing

BITS, TOKENS = 4.5, 8192  # of a weight, and in the cache of Llama 3.1 8B
WEIGHTS, CACHE, OPERATIONS = 4.22, 1.07, 19.3  # GB, GB and billions, for one token
BANDWIDTH, RATE = 100, 1000  # GB and billions of operations in a second
LEFT, MILLISECOND, HIGH = 4.0, 6.2, 30


def one_token() -> Drawing:
    """Draw two bars to scale, of the times to fetch and to compute, and how long the processor waits."""
    canvas = Canvas(172)
    weights, cache = (1000 * each / BANDWIDTH for each in (WEIGHTS, CACHE))
    fetch, compute = weights + cache, 1000 * OPERATIONS / RATE
    end = LEFT + MILLISECOND * fetch
    canvas.text(LEFT, 20, f"memory delivers {WEIGHTS + CACHE:.1f} GB, {BANDWIDTH} GB a second", "bold", "start", 13)
    _bar(canvas, LEFT, 30, weights, "weight", f"weights, {WEIGHTS} GB")
    _bar(canvas, LEFT + MILLISECOND * weights, 30, cache, "key", "cache")
    canvas.note(end, 76, f"{fetch:.0f} ms", "bold", "end")
    canvas.text(LEFT, 108, f"processor does {OPERATIONS} billion operations", "bold", "start", 13)
    _bar(canvas, LEFT, 118, compute, "query", "computes")
    start = LEFT + MILLISECOND * compute
    canvas.add("rect", x=start, y=118, width=end - start, height=HIGH, class_="off")
    canvas.note((start + end) / 2, 138, "waits", anchor="middle")
    canvas.note(start, 164, f"{compute:.0f} ms", "bold", "end")
    return canvas.finish(
        "One token on a laptop",
        f"Two bars to scale. Memory delivers {WEIGHTS} GB of weights and {CACHE} GB of cache in {fetch:.0f} ms. The"
        f" processor computes for {compute:.0f} ms, and waits for the rest of the time.",
    )


def _bar(canvas: Canvas, x: float, y: float, time: float, role: str, words: str) -> None:
    """Draw a part of a bar, as wide as its time, with words inside."""
    width = MILLISECOND * time
    canvas.add("rect", x=x, y=y, width=width, height=HIGH, class_=f"cell {role}", fill_opacity=0.3)
    canvas.note(x + width / 2, y + 20, words, "", "middle")
