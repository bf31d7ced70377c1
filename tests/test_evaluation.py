"""Scores of options, intervals and near-duplicates: the laws that they obey, and what they refuse."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer import evaluation as ev
from tests.few import few

words = st.lists(st.integers(0, 5), min_size=1, max_size=30)
sets = st.sets(st.tuples(st.integers(0, 40)), min_size=1, max_size=30)


def bigrams(seed: int) -> torch.nn.Embedding:
    torch.manual_seed(seed)
    return torch.nn.Embedding(7, 7)


tokens = st.lists(st.integers(0, 6), min_size=1, max_size=5)


@few
@given(tokens, st.lists(tokens, min_size=1, max_size=4), st.integers(0, 9))
def test_an_option_has_the_sum_of_its_tokens_and_others_do_not_matter(
    prompt: list[int], options: list[list[int]], seed: int
) -> None:
    model = bigrams(seed)
    table = model.weight.log_softmax(-1)
    found = ev.option_log_probs(model, prompt, options)
    for option, score in zip(options, found, strict=True):
        text = [*prompt, *option]
        pairs = zip(text[len(prompt) - 1 :], option, strict=False)
        assert score == pytest.approx(sum(table[a, b].item() for a, b in pairs), abs=1e-4)
        assert ev.option_log_probs(model, prompt, [option])[0] == pytest.approx(score, abs=1e-5)


@few
@given(st.lists(st.floats(-5, 5), min_size=2, max_size=40), st.floats(-3, 3))
def test_an_interval_holds_the_mean_and_moves_with_the_values(values: list[float], shift: float) -> None:
    mean, low, high = ev.bootstrap_interval(values, n_resamples=200)
    assert mean == pytest.approx(np.mean(values), abs=1e-9) and low - 1e-9 <= high
    assert min(values) - 1e-9 <= low and high <= max(values) + 1e-9
    moved = ev.bootstrap_interval([value + shift for value in values], n_resamples=200)
    assert moved == pytest.approx((mean + shift, low + shift, high + shift), abs=1e-6)


def test_an_interval_of_95_percent_holds_the_true_mean_about_that_often() -> None:
    rng, held = np.random.default_rng(0), 0
    for trial in range(200):
        _, low, high = ev.bootstrap_interval((rng.random(100) < 0.7).tolist(), n_resamples=400, seed=trial)
        held += low <= 0.7 <= high
    assert 0.89 < held / 200 <= 0.99


@few
@given(st.lists(st.booleans(), min_size=5, max_size=60))
def test_a_model_beside_itself_differs_by_nothing(right: list[bool]) -> None:
    assert ev.paired_difference(right, right, n_resamples=50) == (0, 0, 0)


def test_a_pair_is_narrower_than_two_that_are_apart() -> None:
    rng = np.random.default_rng(1)
    first = (rng.random(400) < 0.8).astype(float)
    second = np.where(rng.random(400) < 0.05, 1 - first, first)
    _, low, high = ev.paired_difference(first.tolist(), second.tolist())
    of_each = [ev.bootstrap_interval(each.tolist()) for each in (first, second)]
    apart = math.hypot(*(each.high - each.low for each in of_each))
    assert high - low < 0.6 * apart


@few
@given(sets, sets, st.integers(0, 99))
def test_smallest_hashes_estimate_what_brute_force_finds(first: set, second: set, seed: int) -> None:
    n, truth = 400, ev.jaccard(first, second)
    estimate = float((ev.min_hashes(first, n, seed) == ev.min_hashes(second, n, seed)).mean())
    assert abs(estimate - truth) <= 5 * math.sqrt(truth * (1 - truth) / n) + 1e-12


def test_the_error_of_the_estimate_is_that_of_a_binomial() -> None:
    first, second = {(i,) for i in range(60)}, {(i,) for i in range(20, 80)}
    n, truth = 128, ev.jaccard(first, second)
    found = [(ev.min_hashes(first, n, seed) == ev.min_hashes(second, n, seed)).mean() for seed in range(400)]
    error = math.sqrt(truth * (1 - truth) / n)
    assert truth == 0.5 and np.mean(found) == pytest.approx(truth, abs=4 * error / 20)
    assert np.std(found) == pytest.approx(error, rel=0.15)


@few
@given(words, st.integers(1, 6))
def test_shingles_are_all_runs_of_a_text(document: list[int], n: int) -> None:
    runs = ev.shingles(document, n)
    assert all(len(run) == min(n, len(document)) for run in runs)
    assert document[:n] == list(min(runs, key=lambda run: document[:n] != list(run)))


@few
@given(st.lists(words, max_size=8), st.integers(0, 3))
def test_near_duplicates_come_with_the_first_of_their_kind(documents: list[list[int]], seed: int) -> None:
    first = ev.near_duplicates(documents, seed=seed)
    assert all(root <= i and first[root] == root for i, root in enumerate(first))
    again = ev.near_duplicates([*documents, *documents], seed=seed)
    assert again[len(documents) :] == again[: len(documents)]


def test_near_duplicates_are_those_that_brute_force_finds() -> None:
    rng = np.random.default_rng(0)
    documents = []
    for _ in range(30):
        page = rng.integers(1000, size=60).tolist()
        documents += [page, [*rng.integers(1000, size=4).tolist(), *page[4:]]]
    runs = [ev.shingles(each) for each in documents]
    expected = [next(j for j in range(i + 1) if ev.jaccard(runs[i], runs[j]) > 0.5) for i in range(len(runs))]
    assert ev.near_duplicates(documents) == expected


@pytest.mark.parametrize(
    "call",
    [
        lambda: ev.option_log_probs(bigrams(0), [], [[1]]),
        lambda: ev.option_log_probs(bigrams(0), [1], []),
        lambda: ev.option_log_probs(bigrams(0), [1], [[1], []]),
        lambda: ev.bootstrap_interval([1.0]),
        lambda: ev.bootstrap_interval([1.0, 2.0], level=1.0),
        lambda: ev.bootstrap_interval([1.0, 2.0], n_resamples=0),
        lambda: ev.paired_difference([1.0, 0.0], [1.0]),
        lambda: ev.shingles([]),
        lambda: ev.shingles([1], 0),
        lambda: ev.jaccard(set(), set()),
        lambda: ev.min_hashes(set()),
        lambda: ev.min_hashes({(1,)}, 0),
        lambda: ev.near_duplicates([[1]], threshold=0),
        lambda: ev.near_duplicates([[1]], n_hashes=100, n_bands=32),
        lambda: ev.near_duplicates([[]]),
    ],
)
def test_what_makes_no_sense_is_refused(call) -> None:
    with pytest.raises(ValueError, match=r"."):
        call()
