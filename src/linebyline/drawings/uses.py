"""What an encoder is for, and what a text-to-text model is for."""

from .kit import Canvas, Drawing

GAP, CLASSIFIED = ("Dan", "loves", "[MASK]", "cream"), ("Dan", "loves", "ice", "skates")
FILLED, TOPIC = "ice", "topic: sport"
SENTENCE = ("The boy washes", "the bicycle.")
# The prefix of a task, and what is to be written then, in one line or two.
NAMED = (
    ("translate English to Swedish:", ("Pojken tvättar", "cykeln.")),
    ("plural:", ("The boys wash", "the bicycles.")),
    ("reverse:", ("Bicycle the", "washes boy the.")),
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
            canvas.token(x, top + 146, word, width, "lit" if word in ("[MASK]", FILLED) else "")
        if words == GAP:
            edge, y = widths[2] / 2 + 4, top + 174
            for first, last, end in ((0, 1, above - edge / 2), (3, 3, above + edge / 2)):
                ends = places[first] - widths[first] / 2, places[last] + widths[last] / 2
                canvas.line((ends[0], y - 8), (ends[0], y - 4), (ends[1], y - 4), (ends[1], y - 8), arrow=False)
                start = sum(ends) / 2
                canvas.line((start, y - 4), (start, y + 4), (end, y + 4), (end, y - 10), kind="weight")
            canvas.note(4, y + 22, "from the left")
            canvas.note(276, y + 22, "and the right", anchor="end")
    return canvas.finish(
        "What an encoder is for",
        f"Twice an encoder reads four tokens. Of '{' '.join(GAP)}' it says what belongs at the mask, '{FILLED}', from"
        f" the words on its left and on its right. Of '{' '.join(CLASSIFIED)}' it says what the whole text is about:"
        f" '{TOPIC}'.",
    )


def named_tasks() -> Drawing:
    """Draw one model that does three tasks with a sentence, each named by the words in front of it."""
    canvas, height = Canvas(284), 92
    canvas.box(160, 4, 40, 276, "", role="weight")
    for line, word in enumerate(("one", "T5")):
        canvas.text(180, 134 + 20 * line, word, "bold")
    for number, (prefix, answer) in enumerate(NAMED):
        y = 60 + height * number
        canvas.note(4, y - 30, prefix.replace("translate ", ""), "weight")
        for x, words, kind in ((67, SENTENCE, ""), (291, answer, "lit")):
            canvas.add("rect", x=x - 65, y=y - 22, width=130, height=44, rx=14, class_=f"token {kind}".strip())
            for line, part in enumerate(words):
                canvas.note(x, y - 4 + 18 * line, part, kind and "bold", "middle")
        canvas.line((132, y), (156, y))
        canvas.line((200, y), (222, y))
    said = "; ".join(f"after '{prefix}' it becomes '{' '.join(answer)}'" for prefix, answer in NAMED)
    return canvas.finish(
        "One model, and the task in words",
        f"Three times the same model reads the sentence '{' '.join(SENTENCE)}' with other words in front: {said}.",
    )
