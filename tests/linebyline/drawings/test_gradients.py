"""The drawings of gradients show what automatic differentiation finds."""

import numpy as np
import pytest
import torch

from linebyline.drawings import attention_gradients as attention
from linebyline.drawings import (
    common_push,
    head_forward,
    lever,
    norm_backward,
    query_step,
    squared_gradients,
    table_gradients,
    tied_model,
    unnoticed,
    values_backward,
)
from linebyline.drawings import norm_gradients as norms
from linebyline.drawings.kit import number
from linebyline.drawings.table_gradients import (
    BETWEEN,
    D_X,
    IDS,
    PROBABILITIES,
    READ,
    RIGHT,
    ROWS,
    pushed,
    row_gradients,
    two_uses,
)


def gradients():
    """Let autograd find the gradients of the example: of query, keys, values, scores and weights."""
    q, k, v = (torch.tensor(each, requires_grad=True) for each in (attention.QUERY, attention.KEYS, attention.VALUES))
    scores = q @ k.T / 2**0.5
    weights = scores.softmax(dim=-1)
    output = weights @ v
    loss = (output * torch.tensor(attention.D_OUTPUT)).sum()
    parts = [part.numpy() for part in torch.autograd.grad(loss, (q, k, v, scores, weights))]
    return weights.detach().numpy()[0], *parts


def test_the_example_of_attention_has_the_gradients_that_are_drawn():
    weights, d_query, _, d_values, d_scores, d_weights = gradients()
    np.testing.assert_allclose(weights, attention.WEIGHTS)
    np.testing.assert_allclose(d_weights[0], attention.D_WEIGHTS, atol=1e-15)
    np.testing.assert_allclose(attention.score_gradients(weights)[1], d_scores[0], atol=1e-15)
    for row in d_values:
        assert f"({number(row[0])}, {number(row[1])}) for its value" in values_backward().description
    new = (attention.QUERY - d_query)[0]
    assert f"takes it to ({number(new[0])}, {number(new[1])})" in query_step().description


def test_the_head_is_drawn_forwards_with_its_numbers():
    assert "the weights (0.25, 0.5, 0.25)" in head_forward().description


@pytest.mark.parametrize("weights", [(0.25, 0.5, 0.25), (0.98, 0.01, 0.01)])
def test_the_lever_balances(weights):
    average, pulls = attention.score_gradients(np.array(weights))
    assert sum(pulls) == pytest.approx(0, abs=1e-15)
    assert f"balanced at the average, {attention._digits(average)}." in lever(weights).description


def test_steps_back_through_a_norm_end_where_autograd_does():
    x = torch.tensor(norms.X, requires_grad=True)
    torch.nn.functional.layer_norm(x, (4,), eps=0).backward(torch.tensor(norms.D_X_HAT))
    np.testing.assert_allclose(norms.steps_back()[-1], x.grad.numpy(), atol=1e-12)
    assert "then (1, −1, 0, 0)" in norm_backward().description


def test_only_the_last_change_is_noticed_by_a_norm():
    assert unnoticed().description.count("becomes (−1, −1, 1, 1)") == 3
    assert "becomes (−0.8, −1.2, 1, 1)" in unnoticed().description


def test_squared_gradients_are_reciprocal_to_variances_with_pre_norm():
    for pre_norm in (False, True):
        variances, parts = norms.accounts(pre_norm)
        assert [(along + through) * variance for variance, (along, through) in zip(variances, parts, strict=True)] == [
            1
        ] * len(variances)
    assert "after layer 3: 1/4" in squared_gradients().description


def test_the_gradients_of_a_tied_table_are_those_of_autograd_up_to_rounding():
    table, between = torch.tensor(ROWS, requires_grad=True), torch.tensor(BETWEEN)
    logits = table[READ] @ between @ table.T
    np.testing.assert_allclose(logits.softmax(dim=-1).detach().numpy(), PROBABILITIES, atol=0.011)
    torch.nn.functional.cross_entropy(logits[None], torch.tensor([RIGHT])).backward()
    looked_up, output = two_uses()
    np.testing.assert_allclose(looked_up + output, table.grad.numpy(), atol=0.04)
    assert np.flatnonzero(looked_up.any(axis=-1)).tolist() == [READ]
    assert "of h, (−0.46, 0.65), and that of the row of Dan, (−0.46, 0.84)" in tied_model().description


def test_a_row_of_the_table_gets_the_sum_of_what_autograd_finds_at_its_places():
    x = torch.nn.Embedding(5, 1)
    x(torch.tensor(IDS)).backward(torch.tensor(D_X)[:, None])
    np.testing.assert_allclose(row_gradients(), x.weight.grad.numpy()[:, 0], atol=1e-6)
    assert "cream 0; Dan 0.1; helps 0.2; ice 0; tea 0" in table_gradients().description


def test_the_same_pushes_turn_two_rows_in_one_direction_and_decay_removes_their_difference():
    rows, decayed = pushed(), pushed(0.1)
    np.testing.assert_allclose(rows[0] - rows[1], [2, -1], atol=1e-12)
    np.testing.assert_allclose(decayed[0] - decayed[1], 0.9**30 * np.array([2, -1]), atol=1e-12)
    assert "cosine 0.93" in common_push().description and "cosine 0.999" in common_push().description
