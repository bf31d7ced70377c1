"""What a causal mask does to the weights: the future is left out, and each row still sums to one."""

from clearformer import functional as F

from .kit import CELL, Canvas, Drawing
from .one_word import KEYS, QUERIES, VALUES, WORDS

WIDE, LEFT, TOP = 46, (54, 214), 62


def causal_mask() -> Drawing:
    """Draw the weights of three words twice: once they see the whole sentence, once only what came before."""
    mask = F.causal_mask(len(WORDS))  # (T, S)
    _, free = F.scaled_dot_product_attention(QUERIES, KEYS, VALUES)
    _, causal = F.scaled_dot_product_attention(QUERIES, KEYS, VALUES, mask)
    canvas = Canvas(170)
    grids = (("without a mask", free, mask | True), ("causal mask", causal, mask))
    for x, (title, weights, seen) in zip(LEFT, grids, strict=True):
        canvas.text(x + 1.5 * WIDE, 18, title, "weight")
        for s, word in enumerate(WORDS):
            canvas.note(x + (s + 0.5) * WIDE, TOP - 10, word, anchor="middle")
        for t, row in enumerate(weights):
            for s, weight in enumerate(row):
                place = x + s * WIDE, TOP + t * CELL
                if seen[t, s]:
                    canvas.matrix(*place, [[float(weight)]], "weight", top=1, cell=WIDE)
                else:
                    canvas.add("rect", x=place[0], y=place[1], width=WIDE, height=CELL, class_="off")
    for t, word in enumerate(WORDS):
        canvas.note(4, TOP + t * CELL + 18, word)
    canvas.note(180, TOP + 3 * CELL + 24, "a row for each query, a column for each key", anchor="middle")
    rows = "; ".join(f"{word}: {', '.join(f'{w:.2f}' for w in row)}" for word, row in zip(WORDS, causal, strict=True))
    return canvas.finish(
        "A causal mask",
        "Two grids of weights with a row for each query and a column for each key, Dan’s, ice and cream. Without a mask"
        " every word sees all three. With the causal mask the cells above the diagonal are left out, and the rows are"
        f" {rows}. Each row sums to one.",
    )
