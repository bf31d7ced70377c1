"""What an encoder is for, and what a text-to-text model is for."""

from .kit import Canvas, Drawing

GAP, CLASSIFIED = ("Dan", "loves", "[MASK]", "cream"), ("Dan", "loves", "ice", "skates")
FILLED, TOPIC = "ice", "topic: sport"
SENTENCE = "A boy sleeps."
# The prefix of a task, in one line or two, and what is to be written then.
NAMED = (
    (("translate English", "to Swedish:"), "En pojke sover."),
    (("plural:",), "Boys sleep."),
    (("reverse:",), "Sleeps boy a."),
)


def encoder_uses() -> Drawing:
    """Draw an encoder twice: it fills a gap from both sides, and it says what a text is about."""
    canvas = Canvas(416, 280)
    rows = (("It fills a gap", GAP, FILLED, 20), ("It classifies a text", CLASSIFIED, TOPIC, 250))
    for title, words, answer, top in rows:
        widths = [76 if word == "[MASK]" else 26 + 8 * len(word) for word in words]
        left = (280 - sum(widths) - 6 * (len(words) - 1)) / 2
        places = [left + sum(widths[:t]) + 6 * t + widths[t] / 2 for t in range(len(words))]
        above = places[words.index("[MASK]")] if "[MASK]" in words else 140
        canvas.text(4, top, title, "bold", "start")
        canvas.token(above, top + 34, answer, 30 + 8 * len(answer), "lit")
        canvas.line((above, top + 72), (above, top + 51))
        canvas.box(4, top + 74, 272, 36, "encoder", role="weight")
        for word, x, width in zip(words, places, widths, strict=True):
            canvas.line((x, top + 130), (x, top + 113))
            canvas.token(x, top + 146, word, width, "lit" if word == "[MASK]" else "")
        if words == GAP:
            edge, y = widths[2] / 2 + 4, top + 174
            for start, end in ((places[0], above - edge / 2), (places[3], above + edge / 2)):
                canvas.line((start, y - 12), (start, y), (end, y), (end, y - 10), kind="weight")
            canvas.note(places[0] - 20, y + 18, "from the left")
            canvas.note(276, y + 18, "and the right", anchor="end")
    return canvas.finish(
        "What an encoder is for",
        f"Twice an encoder reads four tokens. Of '{' '.join(GAP)}' it says what belongs at the mask, '{FILLED}', from"
        f" the words on its left and on its right. Of '{' '.join(CLASSIFIED)}' it says what the whole text is about:"
        f" '{TOPIC}'.",
    )


def named_tasks() -> Drawing:
    """Draw one model that does three tasks with a sentence, each named by the words in front of it."""
    canvas, height = Canvas(262, 312), 84
    canvas.box(132, 4, 40, 254, "", role="weight")
    for line, word in enumerate(("one", "T5")):
        canvas.text(152, 126 + 20 * line, word, "bold")
    for number, (prefix, answer) in enumerate(NAMED):
        y = 62 + height * number
        for line, words in enumerate(reversed(prefix)):
            canvas.note(4, y - 22 - 17 * line, words, "weight")
        for x, width, words, kind in ((60, 112, SENTENCE, ""), (248, 124, answer, "lit")):
            canvas.add("rect", x=x - width / 2, y=y - 14, width=width, height=28, rx=14, class_=f"token {kind}".strip())
            canvas.note(x, y + 5, words, kind and "bold", "middle")
        canvas.line((116, y), (130, y))
        canvas.line((172, y), (184, y))
    said = "; ".join(f"after '{' '.join(prefix)}' it becomes '{answer}'" for prefix, answer in NAMED)
    return canvas.finish(
        "One model, and the task in words",
        f"Three times the same model reads the sentence '{SENTENCE}' with other words in front: {said}.",
    )
