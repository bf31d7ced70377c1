"""The task of the chapter on length: at each place, the token from three places back."""

from .kit import Canvas, Drawing

TOKENS, BACK = (5, 2, 8, 1, 9, 4), 3
FIRST, STEP, WIDE, TOP, LOW = 88.0, 48.0, 36.0, 24.0, 112.0


def answers(tokens: tuple[int, ...] = TOKENS) -> tuple[int | None, ...]:
    """Return what is right at each place; there is no answer where nothing is far enough back.

    Example:
        >>> answers()
        (None, None, None, 5, 2, 8)
    """
    return (None,) * BACK + tokens[:-BACK]


def three_back() -> Drawing:
    """Draw six tokens, and below each the token that the model has to name."""
    canvas = Canvas(134)
    canvas.note(2, TOP + 5, "tokens", "")
    canvas.note(2, LOW + 5, "to name", "")
    for place, (token, answer) in enumerate(zip(TOKENS, answers(), strict=True)):
        x = FIRST + place * STEP
        canvas.token(x, TOP, str(token), WIDE)
        if answer is None:
            canvas.text(x, LOW + 5, "–", "quiet")
        else:
            canvas.line((x - BACK * STEP + 6, TOP + 17), (x - 6, LOW - 17), kind="weight")
            canvas.token(x, LOW, str(answer), WIDE, "lit")
    return canvas.finish(
        "Three places back",
        f"The tokens {', '.join(map(str, TOKENS))} in a row. Below the fourth, fifth and sixth are the tokens to name"
        f" there, {', '.join(str(a) for a in answers() if a is not None)}, each with a line from its place,"
        " three to the left. The first three places have no answer.",
    )
