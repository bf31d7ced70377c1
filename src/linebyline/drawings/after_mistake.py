"""A translation with a word too many beside the true one: what counts as right, by place and in order."""

from .kit import Canvas, Drawing

TRUE = ("Jane", "köper", "den", "gamla", "bilen", ".", "<end>")
WRITTEN = ("Jane", "köper", "köper", *TRUE[2:])
MISTAKE = 2  # the first place in which the two differ
TOP, STEP, WIDE = 66, 34, 62
HALVES = (("same place", 36, 140), ("in order", 220, 324))  # and the middles of the two columns


def after_mistake() -> Drawing:
    """Draw which words after a mistake are found: in the same place, and in order."""
    canvas = Canvas(TOP + len(WRITTEN) * STEP - 12)
    after = range(MISTAKE + 1, len(TRUE))
    found = {"same place": [(t, t) for t in after if TRUE[t] == WRITTEN[t]], "in order": [(t, t + 1) for t in after]}
    for name, left, right in HALVES:
        canvas.text((left + right) / 2, 18, f"{name}: {len(found[name])} of {len(after)}", "bold")
        canvas.note(left, 42, "true", anchor="middle")
        canvas.note(right, 42, "written", anchor="middle")
        for t, place in found[name]:
            ends = (left + WIDE / 2, TOP + t * STEP), (right - WIDE / 2, TOP + place * STEP)
            canvas.line(*ends, kind="weight", arrow=False, width=3)
        for x, words in ((left, TRUE), (right, WRITTEN)):
            for t, word in enumerate(words):
                canvas.token(x, TOP + t * STEP, word, WIDE, "lit" if words is WRITTEN and t == MISTAKE else "")
    canvas.line((180, 8), (180, canvas.height - 8), kind="off", arrow=False)
    return canvas.finish(
        "Two ways to count the words after a mistake",
        f"The true translation '{' '.join(TRUE)}' and one in which 'köper' is written twice. Place by place, none of"
        f" the {len(after)} tokens after the mistake is right; in order, all are found, each one place lower.",
    )
