"""The exercises on the assistant, in the order of the chapter."""

import numpy as np

from linebyline.exercises.core import Chapter, expect_close, instead

chapter = Chapter("assistant", np=np)

USER, END, ASSISTANT = 2, 1, 3


@chapter.predict(
    "A short answer and a long one · easy · 2 points · 10 minutes · may use pen and paper",
    ("mean over all counted tokens", "mean over the conversations"),
    right=(1.0, 1.75),
    wrong={
        "The two means are the wrong way round: over tokens, the long answer counts more.": (1.75, 1.0),
        "The first mean is over ten tokens, two with a loss of 3 and eight with a loss of 0.5.": (1.75, 1.75),
        "The second mean gives both conversations the same weight, however long they are.": (1.0, 1.0),
        "These are sums; divide by the number of tokens, and by the number of conversations.": (10.0, 3.5),
        "The prompts do not count, so their tokens are not in the denominator either.": (0.5, 1.75),
    },
)
def two_means(rng):
    losses = np.repeat(3.0, 2), np.repeat(0.5, 8)
    return np.concatenate(losses).mean(), np.mean([each.mean() for each in losses])


def _targets(ids, speaker=ASSISTANT, *, ends=True, first=True, shift=1):
    targets, counts = np.full(len(ids) - 1, -100), False
    for t, token in enumerate(ids):
        if counts and 0 <= t - shift < len(targets) and (ends or token != END):
            targets[t - shift] = token
        counts = token == speaker or (counts and token != END)
        if not first and t == list(ids).index(END):
            counts = False
    return targets


def _after_the_last(ids):
    last = len(ids) - 1 - list(ids)[::-1].index(ASSISTANT)
    targets = np.array(ids[1:])
    targets[:last] = -100
    return targets


def _after_the_first(ids):
    targets = np.array(ids[1:])
    targets[: list(ids).index(ASSISTANT)] = -100
    return targets


def _with_the_mark(ids):
    targets, given = _targets(ids), np.array(ids[1:])
    return np.where(given == ASSISTANT, given, targets)


@chapter.write(
    "Several turns · medium · 3 points · 20 minutes · may use NumPy",
    right=_targets,
    wrong={
        "counts every token": lambda ids: np.array(ids[1:]),
        "counts what the user says": lambda ids: _targets(ids, USER),
        "counts the last answer only": _after_the_last,
        "counts all that follows the first answer's beginning": _after_the_first,
        "never counts the end": lambda ids: _targets(ids, ends=False),
        "counts the mark of the assistant": _with_the_mark,
        "is not shifted": lambda ids: _targets(ids, shift=0),
        "is shifted by two": lambda ids: _targets(ids, shift=2),
    },
)
class targets:
    def a_case_worked_by_hand(self, answer, rng):
        ids = [USER, 50, 51, END, ASSISTANT, 60, END]
        expect_close(answer(ids), [-100, -100, -100, -100, 60, END], f"one turn: {ids}")

    def both_answers_of_two_turns_count(self, answer, rng):
        ids = [USER, 50, END, ASSISTANT, 60, 61, END, USER, 51, END, ASSISTANT, 62, END]
        expected = [-100, -100, -100, 60, 61, END, -100, -100, -100, -100, 62, END]
        expect_close(answer(ids), expected, f"two turns: {ids}")

    def an_answer_that_was_cut_off_counts_as_far_as_it_goes(self, answer, rng):
        ids = [USER, 50, END, ASSISTANT, 60, 61]
        expect_close(answer(ids), [-100, -100, -100, 60, 61], f"no end: {ids}")

    def a_further_turn_changes_nothing_before_it(self, answer, rng):
        turns, n = [], int(rng.integers(2, 5))
        for _ in range(n):
            question, said = rng.integers(50, 90, size=(2, int(rng.integers(1, 5)))).tolist()
            turns += [USER, *question, END, ASSISTANT, *said, END]
        first = turns[: turns.index(USER, 1)]
        expect_close(np.asarray(answer(turns))[: len(first) - 1], answer(first), f"the first of {n} turns")


@chapter.diagnose(
    "An assistant that does not stop · medium · 3 points · 15 minutes · may use NumPy",
    """
def padded_targets(answers, end):
    longest = max(len(answer) for answer in answers)
?   All rows get the length of the longest answer, so none is cut.
    fill = [[end] * (longest - len(answer)) for answer in answers]
?   The end token fills the rows up. Any token would do, because what it fills is not counted.
    targets = np.array([a + more for a, more in zip(answers, fill)])
?   Each row is the answer and then what fills it up.
    lengths = np.array([[len(answer)] for answer in answers])
?   One length for each row, as a column. It counts the end token that each answer has.
    targets[targets == end] = -100
!   targets[np.arange(longest) >= lengths] = -100
?   This leaves out the filling, and with it the end of every answer: the model never learns to stop. Leave out what
?   lies beyond the length of each answer.
    return targets
?   One row of targets for each answer.
""",
    wrong={
        "counts the filling": "pass",
        "still loses the end": "targets[np.arange(longest) >= lengths - 1] = -100",
        "counts one token of the filling": "targets[np.arange(longest) > lengths] = -100",
        "takes every row to be as long as the first": "targets[:, lengths[0, 0] :] = -100",
        "leaves out the answers": "targets[np.arange(longest) < lengths] = -100",
        "leaves out the last column": "targets[:, -1] = -100",
        "ignores every token": instead(4, "targets = np.full_like(targets, -100)"),
    },
)
class padded:
    def a_case_worked_by_hand(self, answer, rng):
        got = answer([[60, 61, END], [62, END]], END)
        expect_close(got, [[60, 61, END], [62, END, -100]], "two answers of three and two tokens")

    def every_answer_keeps_its_end(self, answer, rng):
        answers = [[*rng.integers(50, 90, size=int(n)).tolist(), END] for n in rng.integers(1, 9, size=6)]
        got = np.asarray(answer(answers, END))
        expect_close((got == END).sum(axis=1), np.ones(6), "the number of end tokens that count in each row")
        expect_close((got != -100).sum(axis=1), [len(each) for each in answers], "counted tokens of each row")

    def the_words_of_an_answer_stay_where_they_are(self, answer, rng):
        answers = [[*rng.integers(50, 90, size=int(n)).tolist(), END] for n in rng.integers(1, 9, size=4)]
        got = np.asarray(answer(answers, END))
        for row, said in zip(got, answers, strict=True):
            expect_close(row[: len(said) - 1], said[:-1], f"the words of {said}")

    def an_answer_alone_has_nothing_to_leave_out(self, answer, rng):
        said = [*rng.integers(50, 90, size=5).tolist(), END]
        expect_close(answer([said], END), [said], "one answer")
