"""The exercises on learning from preferences, in the order of the chapter."""

import numpy as np

from linebyline.exercises.core import Chapter, expect_close, instead

chapter = Chapter("preferences", np=np)


@chapter.predict(
    "One pair · easy · 2 points · 10 minutes · may use a pocket calculator",
    ("margin", "loss"),
    right=(1.0397, 0.3027),
    wrong={
        "The margin is multiplied by beta, which is 0.5.": (2.0794, 0.1178),
        "The margin is right. The loss is minus the logarithm of its sigmoid.": (1.0397, 0.7388),
        "The change of the rejected answer is negative, and it is subtracted.": (-0.3466, 0.8813),
        "These are the probabilities themselves; take the logarithm of each ratio.": (1.0397, 1.0397),
        "Here only the chosen answer counts. What the rejected one has lost is added to it.": (0.3466, 0.5347),
    },
)
def one_pair(rng):
    margin = 0.5 * (np.log(0.2 / 0.1) - np.log(0.1 / 0.4))
    return margin, np.log1p(np.exp(-margin))


def _logs(rng, *shape):
    logits = rng.normal(size=shape)
    return logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True)


@chapter.diagnose(
    "The probability of an answer · easy · 2 points · 10 minutes · may use NumPy",
    """
def answer_log_probs(log_probs, targets):
    counted = targets != -100
?   True where a token belongs to the answer.
    index = np.where(counted, targets, 0)
?   -100 is no index of the vocabulary, so 0 is used where nothing counts.
    rows, columns = np.indices(targets.shape)
?   The place of each target, as indices of the first two axes.
    chosen = log_probs[rows, columns, index]
?   The log-probability of each target, and that of token 0 where nothing counts.
    return chosen.sum(axis=1)
!   return (chosen * counted).sum(axis=1)
?   The places that do not count have the log-probability of token 0 here, which is added to the sum.
""",
    wrong={
        "takes the mean over the answer": "return (chosen * counted).sum(axis=1) / counted.sum(axis=1)",
        "adds up all rows": "return (chosen * counted).sum()",
        "adds up each column": "return (chosen * counted).sum(axis=0)",
        "adds up what does not count": "return (chosen * ~counted).sum(axis=1)",
        "returns probabilities": "return np.exp((chosen * counted).sum(axis=1))",
        "leaves out the first token of the answer": instead(1, "counted = np.cumsum(targets != -100, axis=1) > 1"),
        "still counts the question": "return chosen.sum(axis=-1)",
    },
)
class answer_log_probs:
    def a_case_worked_by_hand(self, answer, rng):
        logs = np.log(np.full((1, 3, 4), 0.25))
        expect_close(answer(logs, np.array([[-100, 2, 1]])), [np.log(1 / 16)], "two tokens that count, of 1/4 each")

    def every_token_may_count(self, answer, rng):
        logs, targets = _logs(rng, 2, 3, 4), rng.integers(0, 4, size=(2, 3))
        expected = [sum(logs[i, t, y] for t, y in enumerate(row)) for i, row in enumerate(targets)]
        expect_close(answer(logs, targets), expected, "answers without a question")

    def what_does_not_count_may_change(self, answer, rng):
        logs, targets = _logs(rng, 2, 5, 6), rng.integers(0, 6, size=(2, 5))
        targets[:, :2] = -100
        other = logs.copy()
        other[:, :2] = _logs(rng, 2, 2, 6)
        expect_close(answer(other, targets), answer(logs, targets), "before and after a change inside the question")

    def it_is_the_sum_over_the_answer(self, answer, rng):
        logs, targets = _logs(rng, 3, 4, 5), rng.integers(0, 5, size=(3, 4))
        targets[0, 0] = targets[2, 3] = -100
        by_loop = [sum(logs[i, t, y] for t, y in enumerate(row) if y != -100) for i, row in enumerate(targets)]
        expect_close(answer(logs, targets), by_loop, "three rows")


@chapter.predict(
    "Two steps · medium · 2 points · 15 minutes · may use a pocket calculator",
    ("probability of the chosen answer", "probability of the answer in no pair", "loss"),
    right=(0.1173, 0.8668, 0.3133),
    wrong={
        "This is the score of Oslo after one step; after two it is -2.": (0.2447, 0.6652, 0.4741),
        "Divide by the sum of the three exponentials, which is no longer 3.": (0.0451, 0.3333, 0.3133),
        "The rejected answer has the word twice, so its score is -4.": (0.1065, 0.7870, 0.6931),
        "The probabilities are right. The margin is beta times the difference of the two changes, and beta is 0.5.": (
            0.1173,
            0.8668,
            0.1269,
        ),
        "The probabilities are right. This is the margin; the loss is minus the logarithm of its sigmoid.": (
            0.1173,
            0.8668,
            1.0,
        ),
        "Lund keeps its score, but not its probability: all three add up to 1.": (0.1173, 0.3333, 0.3133),
    },
)
def two_steps(rng):
    weights = np.exp([-2.0, -4.0, 0.0])
    return weights[0] / weights.sum(), weights[2] / weights.sum(), np.log1p(np.exp(-0.5 * 2.0))


def _dpo(chosen, rejected, ref_chosen, ref_rejected, beta):
    margin = beta * ((chosen - ref_chosen) - (rejected - ref_rejected))
    return np.logaddexp(0, -margin).mean()


@chapter.write(
    "The loss of DPO · medium · 3 points · 20 minutes · may use NumPy",
    right=_dpo,
    wrong={
        "leaves out the reference": lambda c, r, rc, rr, beta: np.logaddexp(0, -beta * (c - r)).mean(),
        "leaves out beta": lambda c, r, rc, rr, beta: _dpo(c, r, rc, rr, 1.0),
        "prefers the rejected answer": lambda c, r, rc, rr, beta: _dpo(r, c, rr, rc, beta),
        "adds the two changes": lambda c, r, rc, rr, beta: np.logaddexp(0, -beta * ((c - rc) + (r - rr))).mean(),
        "returns one loss for each pair": lambda c, r, rc, rr, beta: np.logaddexp(0, -beta * ((c - rc) - (r - rr))),
        "takes the loss of the mean margin": lambda *logs_and_beta: _dpo(*map(np.mean, logs_and_beta)),
        "overflows": lambda c, r, rc, rr, beta: np.log(1 + np.exp(-beta * ((c - rc) - (r - rr)))).mean(),
        "returns the sigmoid": lambda c, r, rc, rr, beta: 1 / (1 + np.exp(-beta * (c - rc - r + rr))).mean(),
    },
)  # fmt: skip
class dpo:
    def a_case_worked_by_hand(self, answer, rng):
        logs = [np.log([p]) for p in (0.15, 0.30, 0.05, 0.60)]
        expect_close(answer(*logs, 0.5), np.log1p(6**-0.5), "the pair of the chapter, with beta 0.5")

    def two_pairs(self, answer, rng):
        chosen, rejected, same = np.log([0.4, 0.1]), np.log([0.1, 0.4]), np.log([0.2, 0.2])
        expected = (np.log1p(1 / 4) + np.log1p(4)) / 2
        expect_close(answer(chosen, rejected, same, same, 1.0), expected, "margins of ln 4 and -ln 4, with beta 1")

    def at_the_start_it_is_ln_2(self, answer, rng):
        chosen, rejected = np.log(rng.uniform(0.01, 0.9, size=(2, 4)))
        expect_close(answer(chosen, rejected, chosen, rejected, 0.3), np.log(2), "the model is the reference")

    def only_changes_count(self, answer, rng):
        logs, moved = np.log(rng.uniform(0.01, 0.9, size=(4, 6))), -rng.uniform(0.1, 2, size=6)
        shifted = logs + np.array([moved, 0 * moved, moved, 0 * moved])
        expect_close(answer(*shifted, 0.7), answer(*logs, 0.7), "chosen answers less likely in model and reference")

    def a_pair_that_is_very_wrong_has_a_finite_loss(self, answer, rng):
        got = answer(np.array([-2000.0]), np.array([0.0]), np.array([0.0]), np.array([-10.0]), 1.0)
        expect_close(got, 2010.0, "a margin of -2010")
