"""Four heads of queries with four, two or one heads of keys and values."""

from .kit import Canvas, Drawing

KINDS = {4: "multi-head", 2: "grouped-query", 1: "multi-query"}
QUERIES, WIDTH = 4, 16  # heads of queries, and the width of a head
FIRST, STEP, WIDE = 148, 61, 46  # the middle of the first query, the next one, and the width of a box
HALF = 27  # the width of a key or a value
HIGH = 132


def shared_heads() -> Drawing:
    """Draw which head of keys and values each head of queries uses, for three ways of sharing."""
    canvas = Canvas(3 * HIGH - 6)
    for i, (n_kv_heads, name) in enumerate(KINDS.items()):
        y, group = 4 + i * HIGH, QUERIES // n_kv_heads
        canvas.text(4, y + 20, name, "bold", "start", 13)
        canvas.note(4, y + 44, f"Q ({QUERIES}, 1, {WIDTH})", "query")
        canvas.note(4, y + 68, f"K, V ({n_kv_heads}, T, {WIDTH})", "key")
        canvas.note(4, y + 92, "kept per token")
        canvas.note(4, y + 110, f"and layer: {2 * n_kv_heads * WIDTH}")
        for j in range(QUERIES):
            x: float = FIRST + j * STEP
            shared = FIRST + ((j // group) + 0.5) * group * STEP - STEP / 2  # the middle of the group
            canvas.box(x - WIDE / 2, y, WIDE, 30, f"Q_{j}", role="query")
            canvas.line((x, y + 30), (shared + 0.25 * (x - shared), y + 68), kind="query")
        for j in range(n_kv_heads):
            x = FIRST + (j + 0.5) * group * STEP - STEP / 2
            canvas.box(x - HALF, y + 70, HALF, 34, f"K_{j}", role="key")
            canvas.box(x, y + 70, HALF, 34, f"V_{j}", role="value")
    return canvas.finish(
        "Shared heads of keys and values",
        "Four heads of queries in three ways. In multi-head attention each has its own keys and values, four heads in"
        " all. In grouped-query attention, neighbors share one, two in all. In multi-query attention all four share"
        f" a single one. With heads of width {WIDTH}, the cache holds {_numbers()} numbers"
        " per token in each layer.",
    )


def _numbers() -> str:
    """Return in words how many numbers each way of sharing keeps for a token."""
    *first, last = (str(2 * n_kv_heads * WIDTH) for n_kv_heads in KINDS)
    return f"{', '.join(first)} and {last}"
