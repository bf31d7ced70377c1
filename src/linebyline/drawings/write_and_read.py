"""Fetching and computing: which of them a laptop waits for when a model writes a token, and when it reads a prompt."""

from linebyline.decoder_sizes import PUBLISHED, DecoderSizes

from .kit import WIDTH, Canvas, Drawing

MODEL = "Llama 3.1 8B"
BANDWIDTH, RATE = 1e11, 1e12  # bytes and operations a second
CACHED, PROMPT = 4096, 4000  # tokens in the cache while writing, and tokens of a prompt
LEFT, HIGH, LONGEST = 74, 26, 200  # pixels: where bars begin, their height, and the width of the longer one


def times() -> dict[str, tuple[float, float]]:
    """Return the seconds to fetch and to compute, with two bytes per weight; for a prompt without attention.

    Example:
        >>> {name: tuple(round(each, 2) for each in seconds) for name, seconds in times().items()}
        {'write one token': (0.16, 0.02), 'read a prompt of 4,000 tokens': (0.15, 60.04)}
    """
    sizes = DecoderSizes.of(PUBLISHED[MODEL])
    weights = 2 * sizes.matrices / BANDWIDTH
    return {
        "write one token": (weights + sizes.cache_bytes(CACHED) / BANDWIDTH, sizes.operations(CACHED) / RATE),
        f"read a prompt of {PROMPT:,} tokens": (weights, PROMPT * 2 * sizes.matrices / RATE),
    }


def write_and_read() -> Drawing:
    """Draw two bars for each task; each pair has its own scale."""
    canvas, said = Canvas(206), []
    for i, (task, seconds) in enumerate(times().items()):
        top = 6 + 104 * i
        canvas.text(4, top + 16, task, "bold", "start")
        for j, (work, time, role) in enumerate(zip(("fetch", "compute"), seconds, ("weight", "query"), strict=True)):
            y, wide = top + 28 + 34 * j, LONGEST * time / max(seconds)
            words = f"{time:.0f} s" if time > 1 else f"{time:.3f} s" if i == 0 else f"{time:.2f} s"
            canvas.note(LEFT - 8, y + 18, work, "", "end")
            canvas.add("rect", x=LEFT, y=y, width=wide, height=HIGH, class_=f"filled {role}")
            canvas.note(LEFT + wide + 6, y + 18, words, "bold")
            said.append(f"to {task}, {words} to {work}")
    assert LEFT + LONGEST + 60 < WIDTH
    return canvas.finish(
        "Writing and reading on a laptop",
        f"Two pairs of bars, each with its own scale: {'; '.join(said)}. The longer bar is that of fetching when the"
        " model writes, and that of computing when it reads.",
    )
