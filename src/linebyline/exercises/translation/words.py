"""The first exercises on translation: the words of the target, its mistakes and its alignment."""

import numpy as np
import torch
from scipy.optimize import minimize_scalar

from clearformer import functional as F
from clearformer.training import cross_entropy
from linebyline.exercises.core import Chapter, expect_close, spoiling

chapter = Chapter("translation", F=F, np=np)


def _row_by_row(words, start, end, pad):
    """Write each sentence out with its start and end, then take it without the last and without the first."""
    lengths = (words != pad).sum(axis=1).tolist()
    whole = np.array([[start, *row[:n], end, *row[n:]] for row, n in zip(words.tolist(), lengths, strict=True)])
    return whole[:, :-1], whole[:, 1:], np.arange(whole.shape[1] - 1) <= np.array(lengths)[:, None]


START, END, PAD = 1, 2, 0


def _shift(words, start, end, pad):
    edge = np.full((len(words), 1), pad)
    inputs = np.where(np.arange(words.shape[1] + 1) == 0, start, np.append(edge, words, axis=1))  # (B, T + 1)
    targets = np.append(words, edge, axis=1)  # (B, T + 1)
    targets[np.arange(len(words)), (words != pad).sum(axis=1)] = end
    return inputs, targets, targets != pad


def _expect(answer, words, start, end, pad, what):
    """Compare where something counts: what is read at the other places has no effect."""
    inputs, targets, counts = _shift(words, start, end, pad)
    got = answer(words, start, end, pad)
    parts = got if isinstance(got, tuple) and len(got) == 3 else (None,) * 3
    expect_close(parts[2], counts, f"{what}: which count")
    for part, expected, name in zip(parts, (inputs, targets), ("inputs", "targets"), strict=False):
        if np.shape(part) == expected.shape:
            part = np.where(counts, part, expected)
        expect_close(part, expected, f"{what}: {name}")


def _draw(rng, pad=PAD):
    lengths = rng.permutation(6)  # no words and all of them among them
    return np.where(np.arange(5) < lengths[:, None], rng.integers(10, 90, size=(6, 5)), pad)


def _but(change):
    """The right answer with a change of it; the change gets inputs, targets, counts and the three ids."""
    return lambda words, start, end, pad: change(*_shift(words, start, end, pad), start, end, pad)


def _end_in_the_last_column(words, start, end, pad):
    targets = np.insert(words, words.shape[1], end, axis=1)
    return np.insert(words, 0, start, axis=1), targets, targets != pad


@chapter.write(
    "What the decoder reads · easy · 2 points · 15 minutes · may use NumPy",
    entry="teacher_forced",
    right=_row_by_row,
    wrong={
        "lets the decoder read what it should say": _but(lambda i, t, c, start, end, pad: (t, t, c)),
        "shifts the other way": _but(lambda i, t, c, start, end, pad: (t, i, c)),
        "puts the end into the last column": _end_in_the_last_column,
        "never ends": lambda words, start, end, pad: (_shift(words, start, end, pad)[0][:, :-1], words, words != pad),
        "does not count the end": _but(lambda i, t, c, start, end, pad: (i, t, c & (t != end))),
        "counts the padding": _but(lambda i, t, c, start, end, pad: (i, t, np.ones_like(c))),
        "does not count the first word": _but(lambda i, t, c, start, end, pad: (i, t, c & (i != start))),
        "takes padding to be 0": lambda words, start, end, pad: _shift(words, start, end, 0),
        "reads no start": _but(lambda i, t, c, start, end, pad: (np.where(i == start, pad, i), t, c)),
        "writes into the words": spoiling(_shift, 0),
    },
)
class shift:
    def a_case_worked_by_hand(self, answer, rng):
        words = np.array([[5, 6, 7], [8, 0, 0]])
        _expect(answer, words, START, END, PAD, "words 5 6 7 and 8, start 1, end 2, padding 0")

    def sentences_of_unequal_length(self, answer, rng):
        _expect(answer, _draw(rng), START, END, PAD, "0 to 5 words, start 1, end 2, padding 0")

    def other_ids_for_start__end_and_padding(self, answer, rng):
        _expect(answer, _draw(rng, pad=99), 0, 7, 99, "0 to 5 words, start 0, end 7, padding 99")

    def each_word_counts__and_each_end(self, answer, rng):
        words = _draw(rng)
        counts = np.asarray(answer(words, START, END, PAD)[2])
        expect_close(counts.sum(axis=1), (words != PAD).sum(axis=1) + 1, "counted in each row: its words and their end")

    def what_was_to_be_said_is_read_next(self, answer, rng):
        inputs, targets, counts = (np.asarray(part) for part in answer(_draw(rng), START, END, PAD))
        both = counts[:, 1:] & counts[:, :-1]
        later, earlier = inputs[:, 1:][both], targets[:, :-1][both]
        expect_close(later, earlier, "inputs after the first, against the targets before them")


@chapter.predict(
    "One word in a hundred · easy · 2 points · 10 minutes · may use a calculator",
    ("share of translations without a mistake", "share of words that are right"),
    within=0.01,
    right=(0.99**20, (10 + 49 * (1 - 0.99**20)) / 20),
    wrong={
        "That is the fraction of words while the past is right. A sentence has twenty chances to go wrong.": (
            0.99,
            0.99,
        ),
        "The first is right. But from the first mistake on, half of the words are wrong.": (0.818, 0.99),
        "The first is right. But a sentence with a mistake has many right words, above all before it.": (0.818, 0.818),
        "The first is right. But only the words after a mistake are right half of the time, not the whole sentence.": (
            0.818,
            0.909,
        ),
        "Probabilities of independent events multiply: twenty times a hundredth counts some sentences twice.": (
            0.8,
            0.8,
        ),
    },
)
def exposure(rng):
    """Follow the share of sentences without a mistake, word by word."""
    flawless, right = 1.0, 0.0
    for _ in range(20):
        right += flawless * 0.99 + (1 - flawless) * 0.5
        flawless *= 0.99
    return flawless, right / 20


@chapter.predict(
    "A loss that never gets to zero · medium · 2 points · 15 minutes · may use a calculator",
    ("probability of the right word", "least loss in nats for a word"),
    right=(0.8002, -0.8002 * np.log(0.8002) + 0.1998 * np.log(5000)),
    wrong={
        "A model that is sure of the right word rules out all others, but each of them is asked for a little.": (
            1.0,
            0.0,
        ),
        "The probability is right. But the other words are asked for, too, and unlikely ones cost more.": (
            0.8002,
            0.2229,
        ),
        "The probability is right. But this is only the part of the loss that the right word adds.": (0.8002, 0.1784),
        "The probability is right. But the other words divide a fifth among them: each has a thousandth of that.": (
            0.8002,
            0.5004,
        ),
        "This is the loss of a model that knows nothing.": (0.001, 6.908),
    },
)
def floor(rng):
    """Look for the logit of the right word, above those of all others, that has the least loss."""
    target = torch.tensor([int(rng.integers(1000))])

    def logits(margin):
        return margin * torch.nn.functional.one_hot(target, 1000).double()  # (1, V)

    def loss(margin):
        return cross_entropy(logits(margin), target, label_smoothing=0.2).item()

    found = minimize_scalar(loss, bounds=(0, 50), method="bounded", options={"xatol": 1e-9})
    return logits(found.x).softmax(dim=-1)[0, target].item(), found.fun


def _row_by_row_error(weights, sure, possible):
    strongest = weights.sum(axis=0).argmax(axis=-1)
    hits = [sure[t, s].astype(int) + possible[t, s] for t, s in enumerate(strongest)]
    return 1 - sum(hits) / (len(strongest) + sure.sum())


def _links(weights):
    """Join each target position to the source position that the heads weigh most on average."""
    mean = weights.mean(axis=0)  # (T, S)
    return np.arange(mean.shape[1]) == mean.argmax(axis=1)[:, None]


def _rate(found, sure, possible, n_sure=None):
    """``found`` may be weights, and ``n_sure`` may stand for the number of sure links."""
    n_sure = sure.sum() if n_sure is None else n_sure
    return 1 - ((found * sure).sum() + (found * possible).sum()) / (found.sum() + n_sure)


def _error(weights, sure, possible):
    return _rate(_links(weights), sure, possible)


def _draw_links(rng):
    weights = rng.dirichlet(np.full(7, 0.5), size=(3, 5))  # (n_heads, T, S)
    possible = rng.random(size=(5, 7)) < 0.4
    sure = possible & (rng.random(size=(5, 7)) < 0.5)
    return weights, sure, possible


@chapter.write(
    "Sure and possible links · medium · 3 points · 20 minutes · may use NumPy",
    right=_row_by_row_error,
    wrong={
        "counts sure links only": lambda w, sure, possible: _rate(_links(w), sure, sure),
        "counts possible links only": lambda w, sure, possible: _rate(_links(w), possible, possible),
        "divides by the possible links": lambda w, sure, possible: _rate(_links(w), sure, possible, possible.sum()),
        "gives the fraction of links that are wrong": lambda w, s, p: 1 - (_links(w) & p).sum() / _links(w).sum(),
        "gives the fraction of sure links that are missing": lambda w, s, p: (
            1 - (_links(w) & s).sum() / max(s.sum(), 1)
        ),
        "gives what is right, not what is wrong": lambda w, sure, possible: 1 - _error(w, sure, possible),
        "takes the first head": lambda w, sure, possible: _error(w[:1], sure, possible),
        "takes the largest weight of any head": lambda w, *links: _error(w.max(axis=0, keepdims=True), *links),
        "joins each source word to a target word": lambda w, s, p: _rate(_links(w.swapaxes(1, 2)).T, s, p),
        "takes weights above one half": lambda w, sure, possible: _rate(w.mean(axis=0) > 0.5, sure, possible),
        "adds the weights in place of counting links": lambda w, s, p: _rate(w.mean(axis=0), s, p),
    },
)
class alignment_error:
    def a_case_worked_by_hand(self, answer, rng):
        weights = np.array([[[0.6, 0.3, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.5, 0.4, 0.1]]])
        sure, other = np.eye(3, dtype=bool)[[[0, 1, 1, 2], [0, 1, 2, 2]]]
        got = answer(weights, sure, sure | other)
        expect_close(got, 1 - 5 / 8, "four links, two of them sure and one more possible, of four sure ones")

    def a_word_may_be_without_a_sure_link(self, answer, rng):
        weights = np.array([[[0.9, 0.1], [0.8, 0.2]]])
        sure, possible = np.array([[True, False], [False, False]]), np.array([[True, False], [True, False]])
        expect_close(answer(weights, sure, possible), 0, "a sure link and a possible one, both found")

    def equal_to_counting_pair_by_pair(self, answer, rng):
        for _ in range(5):
            weights, sure, possible = _draw_links(rng)
            found = {(t, int(s)) for t, s in enumerate(weights.sum(axis=0).argmax(axis=-1))}
            sures, possibles = ({(int(t), int(s)) for t, s in np.argwhere(links)} for links in (sure, possible))
            expected = 1 - (len(found & sures) + len(found & possibles)) / (len(found) + len(sures))
            got = answer(weights, sure, possible)
            expect_close(got, expected, "3 heads, 5 target and 7 source words, pair by pair")

    def nothing_in_common_is_an_error_rate_of_1(self, answer, rng):
        weights, _, _ = _draw_links(rng)
        other = ~_links(weights)
        expect_close(answer(weights, other, other), 1, "every link but those found is true")

    def the_order_of_the_heads_does_not_matter(self, answer, rng):
        weights, sure, possible = _draw_links(rng)
        weights[0] = np.eye(5, 7)[rng.permutation(5)]  # one head is sure
        before = _error(weights, sure, possible)
        for order in ([1, 2, 0], [2, 0, 1]):
            expect_close(answer(weights[order], sure, possible), before, f"the heads in the order {order}")
