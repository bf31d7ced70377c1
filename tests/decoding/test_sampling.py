"""Drawing: the frequencies are the probabilities, and all chance comes from the generator."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from clearformer.decoding import greedy_search, pipeline, sample, sampler
from tests.decoding.callables import hashed, tree

DRAWS = 20_000
FIRST = (0.5, 0.3, 0.2)
TREE = {(): FIRST, (0,): (0.1, 0.1, 0.8), (1,): (0.6, 0.2, 0.2), (2,): (0.3, 0.3, 0.4)}


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def fits(tokens: torch.Tensor, probabilities: torch.Tensor) -> float:
    """How likely such a distance from the probabilities is, by chance; tokens of probability 0 must not come."""
    counts = torch.bincount(tokens, minlength=len(probabilities))
    assert counts[probabilities == 0].sum() == 0
    possible = probabilities > 0
    expected = probabilities[possible].double()
    return chisquare(counts[possible], expected / expected.sum() * len(tokens)).pvalue


# --- frequencies ---


def test_pairs_have_the_product_of_theirs() -> None:
    tokens = torch.tensor(sample(tree(TREE), torch.zeros(DRAWS, 1, dtype=torch.int64), 2, generator=generator()))
    pairs = torch.tensor([[FIRST[i] * TREE[(i,)][j] for j in range(3)] for i in range(3)]).flatten()
    assert fits(3 * tokens[:, 0] + tokens[:, 1], pairs) > 0.01


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"tau": 0.5}, (0.25, 0.09, 0.04)),
        ({"k": 2}, (0.5, 0.3, 0.0)),
        ({"p": 0.6}, (0.5, 0.3, 0.0)),
        ({"min_p": 0.5}, (0.5, 0.3, 0.0)),
    ],
)
def test_processed_tokens_have_the_processed_probabilities(settings, expected) -> None:
    choose = sampler(generator=generator(1), processor=pipeline(**settings))
    logits, ids = torch.tensor([FIRST]).log().expand(DRAWS, 3), torch.zeros(DRAWS, 1, dtype=torch.int64)
    assert fits(choose(logits, ids), torch.tensor(expected)) > 0.01


def test_a_large_vocabulary_is_drawn_from_as_a_small_one() -> None:
    # 40,000 equal tokens between two that have half of the probability: float32 sums alone would drift.
    logits = torch.cat([torch.tensor([10_000.0]), torch.ones(40_000), torch.tensor([30_000.0])]).log()
    tokens = sampler(generator=generator())(logits.expand(500, -1), torch.zeros(500, 1, dtype=torch.int64))
    parts = (tokens > 0).long() + (tokens > 20_000) + (tokens == 40_001)
    assert fits(parts, torch.tensor([1, 2, 2, 3]) / 8) > 0.01


@pytest.mark.parametrize(("u", "token"), [(0.0, 1), (0.5, 1), (0.75, 3), (0.8, 3), (1 - 2**-53, 3)])
def test_a_dart_at_an_end_hits_a_token_that_is_possible(monkeypatch, u: float, token: int) -> None:
    # Tokens 1 and 3 have 3/4 and 1/4. A uniform number is below 1, and may be 0.
    monkeypatch.setattr(torch, "rand_like", lambda total, **options: torch.full_like(total, u))
    logits = torch.tensor([[0.0, 0.75, 0.0, 0.25, 0.0]], dtype=torch.float64).log()
    assert sampler(generator=generator())(logits, torch.zeros(1, 1, dtype=torch.int64)).tolist() == [token]


# --- invariants ---


@given(st.integers(0, 100), st.integers(1, 5))
def test_only_the_best_token_left_is_greedy(seed, max_new_tokens) -> None:
    next_logits, prompts = hashed(7, seed=seed), [[1], [2, 3]]
    drawn_tokens = sample(next_logits, prompts, max_new_tokens, generator=generator(), processor=pipeline(k=1))
    assert drawn_tokens == greedy_search(next_logits, prompts, max_new_tokens)


def test_chance_comes_from_the_generator_only() -> None:
    next_logits, state = hashed(7), torch.random.get_rng_state()
    first, second, other = (sample(next_logits, [[1]], 30, generator=generator(seed)) for seed in (3, 3, 4))
    assert first == second != other
    assert torch.equal(state, torch.random.get_rng_state())


# --- refusals ---


@pytest.mark.parametrize(
    ("process", "message"),
    [
        (lambda logits, ids: logits - torch.inf, r"row 0 of processor\(logits, ids\) leaves no token: all 7"),
        (lambda logits, ids: logits * torch.nan, "holds NaN at 7 of 7"),
        (lambda logits, ids: logits[0], r"got shape \(7,\)"),
    ],
)
@pytest.mark.parametrize(
    "decode", [greedy_search, lambda *arguments, **o: sample(*arguments, generator=generator(), **o)]
)
def test_refuses_what_a_process_leaves(decode, process, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        decode(hashed(7), [[1]], 3, processor=process)
