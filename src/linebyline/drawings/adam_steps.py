"""Two steps of Adam for one parameter, with every number."""

import math

from .kit import Canvas, Drawing

GRADIENTS = (3.0, 1.0)
BETA_1, BETA_2 = 0.9, 0.999
CELL, ASIDE = 80, 44  # the width of a cell, and how far the columns of m and v are from the middle of their step
MIDDLES = (88, 274)


def numbers() -> list[dict[str, float]]:
    """Return what each step computes: both means as kept, what of them is real, both corrected, and the quotient.

    Example:
        >>> [round(step["quotient"], 2) for step in numbers()]
        [1.0, 0.87]
    """
    m = v = 0.0
    found = []
    for n, g in enumerate(GRADIENTS, start=1):
        before = {"g": g, "m_before": m, "v_before": v}
        m, v = BETA_1 * m + (1 - BETA_1) * g, BETA_2 * v + (1 - BETA_2) * g**2
        real = {"m_real": 1 - BETA_1**n, "v_real": 1 - BETA_2**n}
        hats = {"m_hat": m / real["m_real"], "v_hat": v / real["v_real"]}
        quotient = hats["m_hat"] / math.sqrt(hats["v_hat"])
        found.append({**before, "m": m, "v": v, **real, **hats, "quotient": quotient})
    return found


def adam_steps() -> Drawing:
    """Draw the way of the gradients 3 and 1 through both means to the length of the step."""
    canvas, steps = Canvas(358), numbers()
    for n, (middle, step) in enumerate(zip(MIDDLES, steps, strict=True), start=1):
        _step(canvas, n, middle, step)
    for top, bottom in ((4, 144), (172, 330)):  # a gap for "÷ 0.19"
        canvas.line((180, top), (180, bottom), arrow=False, kind="off")
    canvas.text(180, 350, "× learning rate: how far the parameter moves")
    first, second = steps
    return canvas.finish(
        "Two steps of Adam",
        f"Step 1, gradient 3: m is 0.1 times 3, {first['m']:.1f}, divided by 0.1 gives {first['m_hat']:.0f}; v is 0.001"
        f" times 9, {first['v']:.3f}, divided by 0.001 gives {first['v_hat']:.0f}, whose root is 3. The quotient is"
        f" {first['quotient']:.0f}. Step 2, gradient 1: m is 0.9 times 0.3 plus 0.1, {second['m']:.2f}, divided by"
        f" {second['m_real']:.2f} gives {second['m_hat']:.2f}; v is {second['v']:.4f}, divided by"
        f" {second['v_real']:.4f} gives {second['v_hat']:.1f}, whose root is {math.sqrt(second['v_hat']):.2f}. The"
        f" quotient is {second['quotient']:.2f}.",
    )


def _step(canvas: Canvas, n: int, middle: float, step: dict[str, float]) -> None:
    canvas.text(middle, 18, f"step {n}", "bold")
    canvas.vector(middle, 44, [f"g = {step['g']:g}"], "value", cell=CELL)
    sums = {
        "m": (f"0.9·{step['m_before']:.2g}", f"+ 0.1·{step['g']:g}"),
        "v": (f"0.999·{step['v_before']:.2g}", f"+ 0.001·{step['g'] ** 2:g}"),
    }
    for name, x, role in (("m", middle - ASIDE, "layer"), ("v", middle + ASIDE, "weight")):
        canvas.line((middle + (x - middle) / 2, 58), (x, 74))
        for line, words in enumerate(sums[name]):
            canvas.note(x, 91 + 17 * line, words, "", "middle")
        canvas.vector(x, 130, [f"{name} = {step[name]:.2g}"], role, cell=CELL)
        canvas.line((x, 144), (x, 172))
        canvas.note(x - 6, 163, f"÷ {step[f'{name}_real']:.2g}", "", "end")
        hat = step[f"{name}_hat"]
        canvas.vector(x, 188, [f"{name}̂ = {hat:.3g}"], role, cell=CELL)
    m_hat, root = step["m_hat"], math.sqrt(step["v_hat"])
    canvas.line((middle + ASIDE, 202), (middle + ASIDE, 230))
    canvas.note(middle + ASIDE - 6, 221, "root", "", "end")
    canvas.vector(middle + ASIDE, 246, [f"√v̂ = {root:.3g}"], "weight", cell=CELL)
    canvas.line((middle - ASIDE, 202), (middle - ASIDE, 260), (middle - 16, 286))
    canvas.line((middle + ASIDE, 260), (middle + 16, 286))
    quotient = f"{m_hat:.3g} / {root:.3g} = {step['quotient']:.2g}"
    canvas.vector(middle, 304, [quotient], "value", cell=144)
