"""GRPO by its equations, token by token in Python; REINFORCE as its first step; pass@k by counting every choice."""

import math
from itertools import combinations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer.training import group_advantages, grpo_loss, pass_at_k
from tests.few import few

seeds = st.integers(0, 2**32 - 1)


def sampled(seed: int, n: int = 4, T: int = 5) -> tuple[torch.Tensor, ...]:
    """Log-probabilities now, at sampling and of the reference, advantages, and which tokens count."""
    generator = torch.Generator().manual_seed(seed)
    now, then, reference = -3 * torch.rand(3, n, T, generator=generator, dtype=torch.float64)
    lengths = torch.randint(1, T + 1, (n, 1), generator=generator)
    advantages = torch.randn(n, generator=generator, dtype=torch.float64)
    return now.requires_grad_(), then, reference, advantages, torch.arange(T) < lengths


def by_hand(now, then, reference, advantages, counted, clip: float, beta: float) -> tuple[float, np.ndarray]:
    """Equations 3 and 4 of the paper, and their derivative, one token after the other."""
    total, slopes = 0.0, np.zeros(now.shape)
    for i, advantage in enumerate(advantages):
        places = np.flatnonzero(counted[i])
        for t in places:
            ratio = math.exp(now[i, t] - then[i, t])
            clipped = min(max(ratio, 1 - clip), 1 + clip)
            gain, slope = ratio * advantage, ratio * advantage
            if clipped * advantage < gain:
                gain, slope = clipped * advantage, 0.0
            behind = math.exp(reference[i, t] - now[i, t])
            part = 1 / len(places) / len(advantages)
            total -= part * (gain - beta * (behind - math.log(behind) - 1))
            slopes[i, t] -= part * (slope - beta * (1 - behind))
    return total, slopes


@few
@given(seeds, st.sampled_from([0.0, 0.1, 0.2, 0.5]), st.sampled_from([0.0, 0.04, 1.0]))
def test_equals_the_paper_with_gradient(seed: int, clip: float, beta: float) -> None:
    now, then, reference, advantages, counted = sampled(seed)
    loss = grpo_loss(now, then, advantages, counted, clip=clip, reference_log_probs=reference, beta=beta)
    loss.backward()
    arrays = (part.detach().numpy() for part in (now, then, reference, advantages, counted))
    expected, slopes = by_hand(*arrays, clip, beta)
    np.testing.assert_allclose(loss.item(), expected, rtol=0, atol=1e-8)
    np.testing.assert_allclose(now.grad, slopes, rtol=0, atol=1e-8)


@few
@given(seeds)
def test_the_first_step_is_reinforce(seed: int) -> None:
    now, _, _, advantages, counted = sampled(seed)
    grpo_loss(now, now, advantages, counted).backward()
    mean_of_answers = (now * counted).sum(dim=1) / counted.sum(dim=1)
    (expected,) = torch.autograd.grad(-(advantages * mean_of_answers).mean(), now)
    torch.testing.assert_close(now.grad, expected, rtol=0, atol=1e-12)


@few
@given(st.lists(st.lists(st.floats(-9, 9), min_size=4, max_size=4), min_size=1, max_size=3), st.floats(0.1, 9))
def test_advantages_do_not_change_with_the_scale_or_the_zero_of_rewards(rows, scale: float) -> None:
    rewards = torch.tensor(rows, dtype=torch.float64).round(decimals=1)
    advantages = group_advantages(rewards)
    torch.testing.assert_close(group_advantages(scale * rewards + 3), advantages, rtol=1e-6, atol=1e-6)
    torch.testing.assert_close(advantages.sum(dim=1), torch.zeros(len(rows), dtype=torch.float64), rtol=0, atol=1e-6)


def test_advantages_by_hand() -> None:
    rewards = torch.tensor([[1.0, 0.0, 0.0, 1.0], [1.0, 1.0, 1.0, 1.0]])
    assert group_advantages(rewards, normalized=False).tolist() == [[0.5, -0.5, -0.5, 0.5], [0.0, 0.0, 0.0, 0.0]]
    std = math.sqrt(4 * 0.25 / 3)
    expected = torch.tensor([[0.5, -0.5, -0.5, 0.5], [0.0, 0.0, 0.0, 0.0]]) / std
    torch.testing.assert_close(group_advantages(rewards), expected)


@pytest.mark.parametrize("n", range(1, 8))
def test_pass_at_k_is_the_fraction_of_all_choices(n: int) -> None:
    for n_right in range(n + 1):
        for k in range(1, n + 1):
            choices = list(combinations(range(n), k))  # the first n_right samples are right
            fraction = sum(min(choice) < n_right for choice in choices) / len(choices)
            assert pass_at_k(n, n_right, k) == pytest.approx(fraction, abs=1e-12)


def test_refuses(unchecked) -> None:
    with pytest.raises(ValueError, match=r"k=3 must be between 1 and n=2, and n_right=1 between 0 and n"):
        pass_at_k(2, 1, 3)
    with pytest.raises(ValueError, match=r"rewards \(4,\) must be \(questions, answers\), with two answers or more"):
        group_advantages(torch.zeros(4))
    with pytest.raises(ValueError, match=r"rewards \(4, 1\) must be"):
        group_advantages(torch.zeros(4, 1))
    now, then, _, advantages, counted = sampled(0)
    with pytest.raises(ValueError, match=r"must all be \(n, T\), got \[\(4, 5\), \(4, 4\), \(4, 5\)\]"):
        grpo_loss(now, then[:, :4], advantages, counted)
    with pytest.raises(ValueError, match=r"advantages \(3,\) must be one for each of 4 answers with tokens"):
        grpo_loss(now, then, advantages[:3], counted)
    with pytest.raises(ValueError, match=r"advantages \(4,\) must be one for each of 4 answers with tokens"):
        grpo_loss(now, then, advantages, counted & False)
    with pytest.raises(ValueError, match="beta needs reference_log_probs"):
        grpo_loss(now, then, advantages, counted, beta=0.1)
