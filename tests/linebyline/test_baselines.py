"""The counted rivals: probabilities that sum to one, equal to the definition worked out with dictionaries."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clearformer.tokenizers import BPETokenizer
from linebyline import baselines
from linebyline.baselines import KneserNey
from tests.few import few

Row = tuple[int, ...]


def discounts(counts: Counter[Row]) -> list[float]:
    n = Counter(counts.values())
    y = n[1] / (n[1] + 2 * n[2]) if n[1] else 0.5
    taken = [i - (i + 1) * y * n[i + 1] / n[i] if n[i] and n[i + 1] else i / 2 for i in (1, 2, 3)]
    return [0, *(max(0.1, d) for d in taken)]


class ByDefinition:
    """Modified Kneser-Ney from its formula, row by row."""

    def __init__(self, ids: list[int], vocab_size: int, order: int) -> None:
        self.vocab_size, self.order, self.counts = vocab_size, order, {}
        for k in range(1, order + 1):
            rows = [tuple(ids[i : i + k]) for i in range(len(ids) - k + 1)]
            if k == order:
                self.counts[k] = Counter(rows)
            else:
                before = defaultdict(set)
                for i in range(len(rows) - 1):
                    before[rows[i + 1]].add(ids[i])
                self.counts[k] = Counter({row: len(before[row]) for row in rows})

    def p(self, w: int, h: Row) -> float:
        k = min(len(h) + 1, self.order)
        h = h[len(h) - k + 1 :]
        lower = 1 / self.vocab_size if k == 1 else self.p(w, h[1:])
        counts, d = self.counts[k], discounts(self.counts[k])
        after = {v: counts[(*h, v)] for v in range(self.vocab_size)}
        total = sum(after.values())
        if not total:
            return lower
        taken = sum(d[min(c, 3)] for c in after.values())
        return (after[w] - d[min(after[w], 3)] + taken * lower) / total


texts = st.integers(1, 5).flatmap(
    lambda v: st.tuples(st.just(v), st.lists(st.integers(0, v - 1), min_size=5, max_size=60))
)


@few
@given(texts, st.integers(1, 5), st.lists(st.integers(0, 4), max_size=6))
def test_probabilities_are_those_of_the_definition_and_sum_to_one(
    text: tuple[int, list[int]], order: int, said: list[int]
) -> None:
    vocab_size, ids = text
    said = [w % vocab_size for w in said]
    model, definition = KneserNey(np.array(ids), vocab_size, order), ByDefinition(ids, vocab_size, order)
    after = [np.exp(model.log_probabilities(np.array([*said, w])))[-1] for w in range(vocab_size)]
    assert sum(after) == pytest.approx(1)
    assert min(after) > 0
    assert after == pytest.approx([definition.p(w, tuple(said)) for w in range(vocab_size)])


@few
@given(texts, st.integers(1, 4))
def test_a_lower_order_is_that_of_a_model_that_counts_no_longer_ngrams(text: tuple[int, list[int]], order: int) -> None:
    vocab_size, ids = text
    unseen = np.array(ids[::-1])
    lower = KneserNey(np.array(ids), vocab_size, order).log_probabilities(unseen)
    np.testing.assert_allclose(KneserNey(np.array(ids), vocab_size, 5).log_probabilities(unseen, order), lower)


def test_longer_rows_tell_more_until_they_are_rare() -> None:
    generator = np.random.default_rng(0)
    ids = np.cumsum(generator.integers(1, 3, 3000) * np.resize([1, 3], 3000)) % 11  # two tokens decide what may come
    costs = [-KneserNey(ids[:2000], 11, k).log_probabilities(ids[2000:]).mean() for k in (1, 2, 3, 4)]
    assert costs[0] > costs[1] + 0.5 > costs[2] + 1
    assert costs[3] == pytest.approx(costs[2], abs=0.05)


def test_bits_per_byte_of_a_text() -> None:
    tokenizer = BPETokenizer.train("", 256)
    model = KneserNey(np.array(tokenizer.encode("ab" * 1000)), 256, 3)
    assert baselines.bits_per_byte(model, tokenizer, "ab" * 500) < 0.1
    assert baselines.bits_per_byte(model, tokenizer, "ab" * 500, order=1) == pytest.approx(1, abs=0.05)
    assert baselines.bits_per_byte(model, tokenizer, "é" * 50, order=1) > 8
