"""The exercises on learning from rewards, in the order of the chapter."""

import numpy as np

from linebyline.exercises.core import Chapter, also, expect_close, instead, spoiling

chapter = Chapter("rewards", np=np)

GROUP = 8


def _silent(p, size=GROUP):
    return p**size + (1 - p) ** size


@chapter.predict(
    "Groups without differences · easy · 2 points · 10 minutes · may use a pocket calculator",
    ("fraction of silent groups if p = 0.5", "fraction of silent groups if p = 0.8"),
    right=(_silent(0.5), _silent(0.8)),
    wrong={
        "All answers may also be wrong, and such a group is silent, too.": (0.5**GROUP, 0.5**GROUP),
        "This is the probability that all answers of a group are wrong.": (0.5**GROUP, 0.2**GROUP),
        "These groups have four answers; a group has eight.": (_silent(0.5, 4), _silent(0.8, 4)),
        "These are the groups with differences; the silent ones are the rest.": (1 - _silent(0.5), 1 - _silent(0.8)),
        "This is one answer; the probabilities of eight answers are multiplied.": (1.0, 1.0),
        "The first is right. In the second, nearly all silent groups are all right: 0.8 to the power of 8.": (
            _silent(0.5),
            0.2**GROUP,
        ),
    },
)
def silent(rng):
    return _silent(0.5), _silent(0.8)


@chapter.diagnose(
    "Compared with whom? · easy · 2 points · 10 minutes · may use NumPy",
    """
def advantages(rewards):
    rewards = np.asarray(rewards, dtype=float)
?   Rows are questions and columns are answers, as numbers with decimals.
    mean = rewards.mean(axis=0, keepdims=True)
!   mean = rewards.mean(axis=1, keepdims=True)
?   This is the mean over the questions, so an answer is compared with answers to other questions, and an easy question
?   has advantages above zero throughout. The mean has to be taken over the answers of a question, which is axis 1.
    std = rewards.std(axis=1, ddof=1, keepdims=True)
?   One deviation for each question, with the number of its answers minus one in the denominator.
    return (rewards - mean) / np.where(std > 0, std, 1)
?   Where a group has no differences, the numerator should be zero, so it does not matter what it is divided by.
""",
    wrong={
        "takes the mean of the whole batch": "mean = rewards.mean()",
        "takes the median": "mean = np.median(rewards, axis=1, keepdims=True)",
        "takes the best answer": "mean = rewards.max(axis=1, keepdims=True)",
        "takes no baseline": "mean = 0.0",
        "takes the sum": "mean = rewards.sum(axis=1, keepdims=True)",
        "divides over questions, too": also(3, "std = rewards.std(axis=0, keepdims=True)"),
        "divides by the number of answers": also(3, "std = rewards.std(axis=1, keepdims=True)"),
        "leaves the mean and changes the deviation": instead(3, "std = rewards.std(axis=0, keepdims=True)"),
    },
)
class advantages:
    def a_case_worked_by_hand(self, answer, rng):
        expect_close(answer([[1, 0, 0, 0]]), [[1.5, -0.5, -0.5, -0.5]], "one right answer among four")

    def a_group_without_differences_is_silent(self, answer, rng):
        got = answer([[1, 1, 1, 1], [1, 0, 0, 0], [0, 0, 0, 0]])
        expect_close(got, [[0] * 4, [1.5, -0.5, -0.5, -0.5], [0] * 4], "an easy, a mixed and a hard question")

    def a_constant_changes_nothing(self, answer, rng):
        rewards = rng.normal(size=(3, 6))
        moved = rewards + rng.normal(size=(3, 1))
        expect_close(answer(moved), answer(rewards), "each question moved by a number of its own", rtol=1e-6, atol=1e-9)

    def one_number_added_to_all_rewards_changes_nothing(self, answer, rng):
        rewards = rng.normal(size=(3, 6))
        expect_close(answer(rewards + 2), answer(rewards), "all rewards moved by 2", rtol=1e-6, atol=1e-9)

    def other_questions_do_not_matter(self, answer, rng):
        rewards = rng.normal(size=(int(rng.integers(2, 6)), 5))
        expect_close(answer(rewards)[:1], answer(rewards[:1]), "the first question, with others and alone")


def _leave_one_out(rewards):
    rewards = np.asarray(rewards, dtype=float)
    n = rewards.shape[1]
    return (rewards - rewards.mean(axis=1, keepdims=True)) * n / (n - 1)


@chapter.write(
    "The mean of the others · medium · 3 points · 20 minutes · may use NumPy",
    right=_leave_one_out,
    wrong={
        "compares with all answers": lambda r: _leave_one_out(r) * (r.shape[1] - 1) / r.shape[1],
        "scales the wrong way": lambda r: _leave_one_out(r) * ((r.shape[1] - 1) / r.shape[1]) ** 2,
        "compares with the other questions": lambda r: _leave_one_out(r.T).T if len(r) > 1 else 0 * r,
        "gives the mean of the others": lambda r: r - _leave_one_out(r),
        "divides by the deviation": lambda r: _leave_one_out(r) / (r.std(axis=1, ddof=1, keepdims=True) + 1e-9),
        "compares with the best of the others": lambda r: r - r.max(axis=1, keepdims=True),
        "has the wrong sign": lambda r: -_leave_one_out(r),
        "changes the rewards": spoiling(_leave_one_out, 0),
    },
)
class leave_one_out:
    def a_case_worked_by_hand(self, answer, rng):
        rewards = np.array([[1.0, 0.0, 0.0, 0.0]])
        expect_close(answer(rewards), [[1.0, -1 / 3, -1 / 3, -1 / 3]], "one right answer among four")

    def two_answers_are_compared_with_each_other(self, answer, rng):
        a, b = rng.normal(size=2)
        expect_close(answer(np.array([[a, b]])), [[a - b, b - a]], "two answers")

    def an_answer_is_compared_with_the_mean_of_the_others(self, answer, rng):
        rewards = rng.normal(size=(int(rng.integers(2, 5)), int(rng.integers(3, 8))))
        expected = [[row[i] - np.delete(row, i).mean() for i in range(len(row))] for row in rewards]
        expect_close(answer(rewards), expected, "advantages, against the means of the others one by one")
