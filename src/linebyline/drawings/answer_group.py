"""A group of answers to one question: the loop of sampling and checking, and how each compares with the others."""

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


def reward_loop(answers: Sequence[str] = ANSWERS, rewards: Sequence[int] = REWARDS) -> Drawing:
    """Draw a question, some answers that a model samples, what a check says of each, and how the model is changed."""
    canvas, top, step = Canvas(198 + 36 * len(answers)), 116, 36
    canvas.token(180, 18, QUESTION, 176)
    canvas.line((180, 34), (180, 50))
    canvas.box(130, 54, 100, 34, "model")
    for i, (answer, reward) in enumerate(zip(answers, rewards, strict=True)):
        y = top + 18 + step * i
        canvas.token(84, y, answer, 112, "lit" if reward else "")
        canvas.line((144, y), (156, y))
        canvas.text(198, y + 5, "right: 1" if reward else "wrong: 0", "bold" if reward else "")
        canvas.line((236, y), (250, y))
        canvas.text(304, y + 5, "more likely" if reward else "less likely", "bold" if reward else "")
    for left, right in ((28, 140), (258, 350)):  # brackets over all answers, and over all changes
        canvas.line((left, 114), (left, 109), (right, 109), (right, 114), arrow=False)
    canvas.line((150, 88), (84, 107))
    canvas.note(84, top + step * len(answers) + 18, "sampled answers", anchor="middle")
    canvas.note(196, top + step * len(answers) + 18, "check", anchor="middle")
    canvas.note(304, top + step * len(answers) + 18, "one step", anchor="middle")
    canvas.line((304, 109), (304, 71), (234, 71))
    canvas.note(180, canvas.height - 34, "Nobody writes the answers:", anchor="middle")
    canvas.note(180, canvas.height - 16, "the model learns from its own.", anchor="middle")
    told = "; ".join(f"{a} is {'right' if r else 'wrong'}" for a, r in zip(answers, rewards, strict=True))
    return canvas.finish(
        "Learning from rewards",
        f"A model samples four answers to {QUESTION} A check says: {told}. One step of training makes the right one"
        " more likely and the others less, and the changed model answers the next question.",
    )
