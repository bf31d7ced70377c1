"""DPO: loss and gradient by the paper's equations written out in NumPy, and what the loss does not see."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer.training import IGNORE_INDEX, answer_log_probs, cross_entropy, dpo_loss
from tests.few import few

log_prob = st.floats(-30, 0)
pairs = st.lists(st.tuples(log_prob, log_prob, log_prob, log_prob), min_size=1, max_size=5)


@few
@given(pairs, st.floats(0.01, 2))
def test_equals_the_paper_with_gradient(rows, beta: float) -> None:
    parts = [torch.tensor(part, dtype=torch.float64) for part in zip(*rows, strict=True)]
    chosen, rejected = (part.requires_grad_() for part in parts[:2])
    loss = dpo_loss(chosen, rejected, *parts[2:], beta=beta)
    loss.backward()
    rewards = [(beta * (c - rc), beta * (r - rr)) for c, r, rc, rr in rows]  # eq. 5, without the constant
    by_hand = np.mean([np.log1p(np.exp(bad - good)) for good, bad in rewards])  # eq. 7
    weights = [
        1 / (1 + np.exp(good - bad)) for good, bad in rewards
    ]  # the gradient of section 4: how wrong the order is
    np.testing.assert_allclose(loss.item(), by_hand, rtol=0, atol=1e-8)
    np.testing.assert_allclose(chosen.grad, [-beta * w / len(rows) for w in weights], rtol=0, atol=1e-8)
    np.testing.assert_allclose(rejected.grad, [beta * w / len(rows) for w in weights], rtol=0, atol=1e-8)


@few
@given(pairs, st.floats(-5, 5))
def test_does_not_see_what_both_answers_lose(rows, shift: float) -> None:
    parts = [torch.tensor(part, dtype=torch.float64) for part in zip(*rows, strict=True)]
    moved = [parts[0] + shift, parts[1] + shift, *parts[2:]]
    torch.testing.assert_close(dpo_loss(*moved, beta=0.5), dpo_loss(*parts, beta=0.5), rtol=0, atol=1e-10)


def test_an_answer_has_the_product_of_its_probabilities() -> None:
    probs = torch.tensor([[[0.5, 0.5, 0.0], [0.25, 0.5, 0.25]], [[0.1, 0.2, 0.7], [1.0, 0.0, 0.0]]])
    targets = torch.tensor([[0, 1], [2, IGNORE_INDEX]])
    got = answer_log_probs(probs.log(), targets).exp()
    torch.testing.assert_close(got, torch.tensor([0.5 * 0.5, 0.7]))


@pytest.mark.parametrize("seed", range(3))
def test_log_probs_of_answers_are_their_cross_entropy(seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    logits = torch.randn(4, 6, 9, generator=generator, dtype=torch.float64)
    targets = torch.randint(9, (4, 6), generator=generator)
    targets[:, :2] = IGNORE_INDEX
    expected = -4 * cross_entropy(logits, targets, ignore_index=IGNORE_INDEX)  # four tokens each
    torch.testing.assert_close(answer_log_probs(logits, targets).mean(), expected)


def test_refuses(unchecked) -> None:
    one, two = torch.zeros(1), torch.zeros(2)
    with pytest.raises(ValueError, match=r"shapes \[\(1,\), \(2,\), \(1,\), \(1,\)\] must be of the same pairs"):
        dpo_loss(one, two, one, one, beta=0.1)
    with pytest.raises(ValueError, match="beta=0 must be positive"):
        dpo_loss(one, one, one, one, beta=0)
    with pytest.raises(ValueError, match=r"logits \(2, 5\) must be \(3, 'vocab_size'\) for these targets"):
        answer_log_probs(torch.zeros(2, 5), torch.zeros(3, dtype=torch.int64))
