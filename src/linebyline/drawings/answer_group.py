"""A group of answers to one question as a drawing: what each is rewarded with, and how it compares with the others."""

from collections.abc import Sequence

import torch

from clearformer.training import group_advantages

from .kit import Canvas, Drawing, number

QUESTION, REWARDS = "what is 3 7 + 4 8 ?", (1, 0, 0, 0)
ANSWERS = ("= 8 5 .", "= 7 5 .", "= 8 6 .", "= 8 5 9")


def answer_group(answers: Sequence[str] = ANSWERS, rewards: Sequence[int] = REWARDS) -> Drawing:
    """Draw four answers with their rewards, and the two kinds of advantages."""
    given = torch.tensor([rewards], dtype=torch.float)
    plain, divided = (group_advantages(given, normalized=each)[0].tolist() for each in (False, True))
    canvas = Canvas(78 + 36 * len(answers))
    canvas.text(2, 18, QUESTION, "bold", "start")
    for x, words in ((60, "answer"), (152, "reward"), (228, "− mean"), (318, "÷ deviation")):
        canvas.note(x, 46, words, "quiet", "middle")
    for i, (answer, reward) in enumerate(zip(answers, rewards, strict=True)):
        y, kind = 74 + 36 * i, "bold" if reward else ""
        canvas.token(60, y, answer, 112, "lit" if reward else "")
        for x, value in ((152, reward), (228, plain[i]), (318, divided[i])):
            canvas.text(x, y + 5, ("+" if value > 0 and x > 200 else "") + number(value), kind)
    told = "; ".join(
        f"{answer} has the reward {reward}, minus the mean {number(a)}, divided {number(b)}"
        for answer, reward, a, b in zip(answers, rewards, plain, divided, strict=True)
    )
    return canvas.finish("A group of answers", f"To the question {QUESTION} four answers: {told}.")
