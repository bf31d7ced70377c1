"""A network of two tanh units that scores a key for a query."""

import numpy as np

from .kit import Canvas, Drawing, number

U_Q, U_K, BIAS, W = np.array([-1.0, -1.0]), np.array([1.0, 1.0]), np.array([1.0, -1.0]), np.array([4.0, -4.0])
PLACES, TOP, BOTTOM = (92, 268), 104, 230  # the middles of the units, and where they and the score are drawn


def score(query: float, key: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the inputs of the units, their outputs, and the score."""
    inputs = query * U_Q + key * U_K + BIAS  # (d_hidden,)
    hidden = np.tanh(inputs)  # (d_hidden,)
    return inputs, hidden, float(hidden @ W)


def score_network(query: float = 1, key: float = 2) -> Drawing:
    """Draw how two units compute the score of one key for one query, with a weight on each arrow."""
    inputs, hidden, result = score(query, key)
    canvas = Canvas(252)
    canvas.token(PLACES[0], 20, f"q = {number(query)}", 100)
    canvas.token(PLACES[1], 20, f"k = {number(key)}", 100)
    for i, x in enumerate(PLACES):
        for start, role, weight in ((PLACES[0], "query", U_Q[i]), (PLACES[1], "key", U_K[i])):
            straight = start == x
            end = x if straight else x + (40 if i == 0 else -40)
            canvas.line((start, 36), (end, TOP - 4), kind=role)
            at = 0.5 if straight else 0.27
            side = (14 if straight else 12) * (1 if (role == "query") != straight else -1)
            canvas.text(
                start + at * (end - start) + side, 36 + at * (TOP - 40) + (5 if straight else -4), number(weight), role
            )
        sums = f"{number(query * U_Q[i])} + {number(key * U_K[i])} {'+' if BIAS[i] > 0 else '−'} {number(abs(BIAS[i]))}"
        words = f"tanh({number(inputs[i])}) = {hidden[i]:.4f}".replace("0.0000", "0")
        canvas.box(x - 84, TOP, 168, 52, f"{sums} = {number(inputs[i])}", role="layer", note=words)
        outside = x + (-64 if i == 0 else 64)
        canvas.note(outside, TOP - 36, "bias", "", "middle")
        canvas.text(outside, TOP - 20, number(BIAS[i]), "bold")
        canvas.line((outside, TOP - 15), (outside, TOP - 3))
        middle = 180 + (-26 if i == 0 else 26)
        canvas.line((x, TOP + 52), (middle, BOTTOM - 16))
        canvas.text((x + middle) / 2 + (-18 if i == 0 else 18), (TOP + BOTTOM + 36) / 2 + 8, number(W[i]), "bold")
    canvas.token(180, BOTTOM, f"score {result:.2f}", 116, "lit")
    first, second = (
        f"these and a bias of {number(b)} add up to {number(z)}, and its tanh is {h:.4f}"
        for b, z, h in zip(BIAS, inputs, hidden, strict=True)
    )
    return canvas.finish(
        "A network that scores a key",
        f"The query q = {number(query)} enters both units times {number(U_Q[0])}, the key k = {number(key)} times"
        f" {number(U_K[0])}. In the first unit {first}; in the second {second}. The outputs times {number(W[0])} and"
        f" {number(W[1])} add up to the score {result:.2f}.",
    )
