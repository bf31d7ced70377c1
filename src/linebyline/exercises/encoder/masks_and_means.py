"""The exercises on hidden tokens and on the mean of a text's states."""

from functools import partial

import numpy as np
import torch

from clearformer.models import BertConfig, bert
from clearformer.training import IGNORE_INDEX, mask_tokens
from linebyline.exercises.core import Chapter, also, expect_close, expect_tuple

chapter = Chapter("encoder", np=np)


@chapter.predict(
    "Targets that stay and targets that change · easy · 2 points · 10 minutes · may use a calculator",
    ("fraction chosen at least once, static masking", "fraction chosen at least once, dynamic masking"),
    right=(1 - 0.85**4, 1 - 0.85**20),
    wrong={
        "The second is right. But there are four copies, each with its own targets.": (0.15, 0.961),
        "Shares of independent draws do not add up: some tokens are asked for twice.": (0.6, 1.0),
        "The first is right. But twenty draws leave out 0.85 to the power of 20.": (0.478, 1.0),
        "The second is right. But passes over a copy bring no new targets: only copies count.": (
            0.961,
            0.961,
        ),
        "These are the shares that are never asked for.": (0.522, 0.0388),
        "The first is right. The targets of the second change with each pass, not only with each copy.": (0.478, 0.478),
    },
)
def asked_once(rng, copies=4, epochs=20):
    """Hide tokens of the same rows again and again, and count those that were asked for at least once."""
    generator = torch.Generator().manual_seed(int(rng.integers(2**31)))
    ids, fractions = torch.full((4000, 40), 7), []
    asked = torch.zeros(ids.shape, dtype=torch.bool)
    for epoch in range(epochs):
        _, targets = mask_tokens(ids, 9, special_ids=range(5), mask_id=4, generator=generator)
        asked |= targets != IGNORE_INDEX
        if epoch + 1 in (copies, epochs):
            fractions.append(asked.float().mean().item())
    return fractions


@chapter.predict(
    "A table with a model behind it · easy · 2 points · 15 minutes · may use a calculator",
    ("parameters", "share of the token table"),
    within=0.01,
    right=(11_104_768, 7_813_632 / 11_104_768),
    wrong={
        "That is the token table alone.": (7_813_632, 1.0),
        "These are the four blocks alone, without the tables.": (3_159_040, 0.7118),
        "A block's feed-forward layer has eight matrices' worth of numbers, its attention four.": (9_000_000, 0.8682),
        "A block's attention has four matrices' worth of numbers, its feed-forward layer eight.": (10_050_000, 0.7775),
        "The heads share the width: four of them have no more numbers than one.": (14_258_000, 0.548),
    },
)
def parameters(rng):
    """Build the model without memory, and count."""
    with torch.device("meta"):
        model = bert(BertConfig(d_model=256, n_heads=4, n_layers=4, d_ff=1024))
    sizes = {name: parameter.numel() for name, parameter in model.named_parameters()}
    total = sum(sizes.values())
    return total, sizes["embedding.table"] / total


def _draw_texts(rng, *lengths):
    real = np.arange(max(lengths)) < np.array(lengths)[:, None]
    return np.where(real, rng.integers(1, 9, size=real.shape), 0), rng.normal(size=(*real.shape, 3))


@chapter.diagnose(
    "A mean that gets shorter · easy · 2 points · 10 minutes · may use NumPy",
    """
def mean_state(ids, states, pad):
    real = (ids != pad)[:, :, None]  # (B, T, 1)
?   True where a token is one; the last axis lets it meet the states.
    total = (states * real).sum(axis=1)  # (B, d)
?   States of padding are multiplied by 0, so they add nothing.
    return total / ids.shape[1]
!   return total / real.sum(axis=1)
?   The sum leaves the padding out, and the division counts it: beside a long neighbor a text has more columns,
?   and its mean becomes shorter. Divide by the tokens that were added up.
""",
    wrong={
        "divides by the rows": "return total / len(ids)",
        "divides by all tokens of the batch": "return total / real.sum()",
        "divides by the longest text": "return total / real.sum(axis=1).max()",
        "leaves the sum": "return total",
        "averages the padding, too": "return states.mean(axis=1)",
        "counts the padding in the sum": also(2, "total = states.sum(axis=1)  # (B, d)"),
        "takes padding to be 0": also(1, "real = (ids != 0)[:, :, None]  # (B, T, 1)"),
        "scales to length one": "return total / np.linalg.norm(total, axis=1, keepdims=True)",
    },
)
class mean:
    def a_case_worked_by_hand(self, answer, rng):
        ids, states = np.array([[5, 6, 0, 0]]), np.array([[[2.0], [4.0], [7.0], [9.0]]])
        expect_close(answer(ids, states, 0), [[3.0]], "states 2 and 4, padding of 7 and 9")

    def each_text_is_what_it_is_alone(self, answer, rng):
        lengths = (4, 1, 6)
        ids, states = _draw_texts(rng, *lengths)
        alone = [states[b, :length].mean(axis=0) for b, length in enumerate(lengths)]
        expect_close(answer(ids, states, 0), alone, "texts of 4, 1 and 6 tokens")

    def more_padding_changes_nothing(self, answer, rng):
        ids, states = _draw_texts(rng, 4, 2)
        wide = np.pad(ids, ((0, 0), (0, 3))), np.pad(states, ((0, 0), (0, 3), (0, 0)), constant_values=5.0)
        expect_close(answer(*wide, 0), answer(ids, states, 0), "three more columns of padding")

    def texts_of_one_length(self, answer, rng):
        ids, states = _draw_texts(rng, 5, 5)
        expect_close(answer(ids, states, 0), states.mean(axis=1), "two texts of 5 tokens, no padding")

    def what_padding_is_called_changes_nothing(self, answer, rng):
        ids, states = _draw_texts(rng, 5, 2)
        renamed = answer(np.where(ids == 0, 99, ids), states, 99)
        expect_close(renamed, answer(ids, states, 0), "padding with the id 99")


MASK = 4


def _hiding(choose):
    """An answer that hides the tokens that ``choose(ordinary, order)`` says, a boolean (B, T)."""

    def hide(ids, ordinary, order, u, other, mask):
        chosen = choose(ordinary, order)
        return np.where(chosen & (u < 0.8), mask, np.where(chosen & (u < 0.9), other, ids)), chosen

    return hide


def _count(ordinary, least=1):
    return np.maximum(least, ordinary.sum(axis=1, keepdims=True) * 15 // 100)  # (B, 1)


def _rank(order):
    return order.argsort(axis=1).argsort(axis=1)


def _chosen(ordinary, order, rank=_rank, count=_count):
    return ordinary & (rank(np.where(ordinary, order, np.inf)) < count(ordinary))


_hide_tokens = _hiding(_chosen)


def _hide_one_by_one(ids, ordinary, order, u, other, mask):
    inputs, asked = ids.copy(), np.zeros_like(ordinary)
    for b, row in enumerate(ordinary):
        free = np.flatnonzero(row)
        for t in free[np.argsort(order[b, free])][: max(1, int(0.15 * len(free) + 1e-9))]:
            asked[b, t] = True
            if u[b, t] < 0.9:
                inputs[b, t] = mask if u[b, t] < 0.8 else other[b, t]
    return inputs, asked


def _draw_rows(rng, B=6, T=30):
    lengths, t = rng.integers(1, T - 2, size=B), np.arange(T)
    ordinary = (t > 0) & (t <= lengths[:, None])
    ids = np.where(ordinary, rng.integers(5, 90, size=(B, T)), np.where(t == 0, 2, 0))
    return ids, ordinary, rng.random((B, T)), rng.random((B, T)), rng.integers(5, 90, size=(B, T)), MASK


def _expect_hidden(answer, case, what):
    inputs, asked = expect_tuple(answer(*case), 2)
    expected = _hide_tokens(*case)
    expect_close(inputs, expected[0], f"{what}: inputs")
    expect_close(asked, expected[1], f"{what}: asked")


@chapter.write(
    "Hide and ask · medium · 3 points · 20 minutes · may use NumPy",
    right=_hide_one_by_one,
    wrong={
        "always puts the mask": lambda ids, ordinary, order, u, *rest: _hide_tokens(ids, ordinary, order, 0 * u, *rest),
        "asks only where something changed": lambda *case: (x := _hide_tokens(*case)[0], x != case[0]),
        "asks for a share by chance": _hiding(lambda ordinary, order: ordinary & (order < 0.15)),
        "hides special tokens, too": _hiding(lambda ordinary, order: _rank(order) < _count(ordinary)),
        "counts padding among the tokens": _hiding(partial(_chosen, count=lambda x: max(1, x.shape[1] * 15 // 100))),
        "takes the order for the rank": _hiding(partial(_chosen, rank=lambda order: order.argsort(axis=1))),
        "asks for nothing in a short row": _hiding(partial(_chosen, count=partial(_count, least=0))),
        "replaces nine in ten": lambda *case: _hide_tokens(*case[:3], np.where(case[3] < 0.1, 0.0, 0.85), *case[4:]),
    },
)
class hide:
    def a_case_worked_by_hand(self, answer, rng):
        ids, ordinary = np.array([[2, 11, 12, 13, 3]]), np.array([[False, True, True, True, False]])
        order, other = np.array([[0.0, 0.9, 0.1, 0.5, 0.0]]), np.array([[5, 6, 7, 8, 9]])
        for u, read in ((0.3, MASK), (0.85, 7), (0.95, 12)):
            inputs, asked = expect_tuple(answer(ids, ordinary, order, np.full((1, 5), u), other, MASK), 2)
            expect_close(asked, [[False, False, True, False, False]], "three ordinary tokens: asked")
            expect_close(inputs, [[2, 11, read, 13, 3]], f"three ordinary tokens, u = {u}: inputs")

    def rows_of_unequal_length(self, answer, rng):
        _expect_hidden(answer, _draw_rows(rng), "rows of 1 to 27 ordinary tokens")

    def no_special_token_is_asked_for(self, answer, rng):
        ids, ordinary, order, *rest = _draw_rows(rng)
        order = np.where(ordinary, order, -1.0)  # special tokens come first, if nobody leaves them out
        _expect_hidden(answer, (ids, ordinary, order, *rest), "special tokens with the smallest numbers")

    def each_row_has_its_number(self, answer, rng):
        case = _draw_rows(rng, B=12)
        _, asked = expect_tuple(answer(*case), 2)
        expect_close(asked.sum(axis=-1), _count(case[1])[:, 0], "asked for in each row")
