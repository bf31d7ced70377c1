"""What experiments measure: the noise scale, updates block by block, operations, and means over seeds."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer import functional, training
from linebyline import growing
from linebyline.experiments import (
    heads,
    model_size,
    noise_scale,
    positions,
    relative,
    results,
    small_decoders,
    warmup,
)

# --- the noise scale ---


def test_the_noise_scale_worked_by_hand() -> None:
    """Mean (2, 0): |g_large|² is 4, and the small ones have 5 and 5, with 3 examples each."""
    found = noise_scale.noise_scale(torch.tensor([[2.0, 1.0], [2.0, -1.0]]), size=3)
    assert found == pytest.approx(((6 * 4 - 3 * 5) / 3, (5 - 4) / (1 / 3 - 1 / 6)))


@given(st.integers(2, 11), st.integers(1, 13), st.integers(1, 7), st.integers(0, 1000))
def test_both_lengths_follow_from_the_estimate(n: int, size: int, width: int, seed: int) -> None:
    """A mean over b examples is expected to have squared length |G|² + tr Σ / b: two lengths, two unknowns."""
    small = torch.randn(n, width, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    found = noise_scale.noise_scale(small, size)
    of_small, of_large = small.square().sum(1).mean().item(), small.mean(0).square().sum().item()
    assert found.squared + found.variance / size == pytest.approx(of_small, abs=1e-9)
    assert found.squared + found.variance / (n * size) == pytest.approx(of_large, abs=1e-9)


def test_the_estimate_is_right_in_the_mean_over_many_draws() -> None:
    """Gradients of single examples are normal, with known mean and known, unequal variances."""
    generator = torch.Generator().manual_seed(0)
    mean, deviations = torch.tensor([0.3, -0.4, 0.0]).double(), torch.tensor([1.0, 2.0, 3.0]).double()
    noise = torch.randn(20_000, 5, 3, generator=generator, dtype=torch.float64)
    small = mean + deviations * noise / 2  # the means of 4 examples each
    found = [noise_scale.noise_scale(of_one, 4) for of_one in small[:4000]]
    squared = torch.tensor([one.squared for one in found])
    variance = torch.tensor([one.variance for one in found])
    for estimates, truth in ((squared, 0.25), (variance, 14.0)):
        error = estimates.std().item() / len(found) ** 0.5
        assert estimates.mean().item() == pytest.approx(truth, abs=3 * error)
        assert error < 0.02 * truth + 0.02


def test_gradients_are_those_of_backward_and_change_nothing() -> None:
    model = torch.nn.Embedding(7, 7)
    batches = [(torch.tensor([1, 2]), torch.tensor([3, 4])), (torch.tensor([5]), torch.tensor([6]))]
    found = noise_scale.gradients(model, batches)
    assert model.weight.grad is None
    for row, batch in zip(found, batches, strict=True):
        model.zero_grad()
        training.next_token_loss(model, batch).backward()
        torch.testing.assert_close(row, model.weight.grad.flatten())


# --- the trainings ---


def test_updates_and_gradients_are_measured_block_by_block() -> None:
    recipe = small_decoders.sizes(8, 2, vocab_size=11, batch=2, steps=5, warmup=0, peak=1e-2)
    made = small_decoders.trainer(recipe, torch.arange(11).repeat(9), norm="post")
    before = warmup.matrices(made.model)
    made.run(1)
    with torch.no_grad():
        for number, block in enumerate(small_decoders.blocks(made.model)):
            for p, old in zip((p for p in block.parameters() if p.ndim == 2), before[number], strict=True):
                p.copy_(old * (1.5 + number))
                p.grad = torch.full_like(p, 3.0) if p is block.attention.w_o else torch.zeros_like(p)
    assert warmup.watched(made.model, before) == {"update": [0.5, 1.5], "gradient": [24.0, 24.0]}


def test_a_post_norm_decoder_has_no_last_norm_and_reads_the_same_windows() -> None:
    recipe = small_decoders.sizes(16, 2, vocab_size=37, batch=3, steps=5, warmup=0)
    post, pre = (small_decoders.trainer(recipe, torch.arange(37).repeat(9), norm=norm) for norm in ("post", "pre"))
    apart = {n for n, _ in pre.model.named_parameters()} ^ {n for n, _ in post.model.named_parameters()}
    assert apart == {"norm.gamma", "norm.beta"}
    assert torch.equal(post.batches(post.generator)[0], pre.batches(pre.generator)[0])


def test_unseen_text_costs_a_blind_guess_its_logarithm() -> None:
    blind = torch.nn.Embedding.from_pretrained(torch.zeros(100, 100))
    assert small_decoders.unseen_loss(blind, torch.arange(100)) == pytest.approx(4.6052)


def test_the_budget_is_spent_by_the_rule_of_six() -> None:
    for setting in model_size.settings():
        tokens = model_size.steps_of(setting) * model_size.BATCH * small_decoders.CONTEXT
        spent = 6 * tokens * model_size.parameters(setting["d_model"], setting["n_layers"])
        assert spent == pytest.approx(setting["budget"], rel=0.01)


def test_operations_are_about_six_for_each_parameter_and_token() -> None:
    for shape in model_size.SIZES:
        assert 5.5 < model_size.counted(*shape) < 8


def test_the_lowest_point_of_a_parabola() -> None:
    """3 + (ln N - ln 5000)² has its lowest point at 5000."""
    losses = {n: 3 + torch.log(torch.tensor(n / 5000)).item() ** 2 for n in (1e3, 3e3, 2e4, 5e4)}
    assert model_size.best_size(losses) == pytest.approx((5000, 3), rel=1e-4)
    with pytest.raises(ValueError, match="curve downward"):
        model_size.best_size({n: -loss for n, loss in losses.items()})


# --- what records say ---


def test_the_interval_is_that_of_student() -> None:
    """Of 1, 2, 3, 4 the standard deviation is √(5/3), and t for three degrees of freedom is 3.1824."""
    mean, half, n = results.mean_of([1.0, 2.0, 3.0, 4.0])
    assert (mean, half, n) == (2.5, pytest.approx(3.1824 * (5 / 3) ** 0.5 / 2, rel=1e-4), 4)
    assert results.mean_of([3.0]) == (3.0, math.inf, 1)
    assert not results.mean_of([3.0]).decided


def test_a_gain_is_taken_seed_by_seed() -> None:
    """Seeds differ by 10, what warm-up takes by 0.1: pairs are sure of it, two groups would not be."""
    losses = {0: (5.0, 4.0), 1: (15.0, 13.9)}
    setting = {"norm": "pre", "n_layers": 2, "peak": 0.1}
    runs = [
        {"setting": {**setting, "warmup": warmup, "seed": seed}, "unseen": of[warmup > 0]}
        for warmup in (0, 7)
        for seed, of in losses.items()
    ]
    gain = results.gains({"runs": runs})["pre", 2, 0.1]
    assert (gain.mean, gain.half, gain.n) == (pytest.approx(1.05), pytest.approx(12.706 * 0.05, rel=1e-4), 2)
    assert gain.decided
    assert results.losses({"runs": runs})["pre", 2, 0.1, 7].mean == pytest.approx(8.95)


def test_the_best_rate_of_each_batch_counts_where_it_is_asked() -> None:
    """After 8 windows the larger rate is better, and after 8 steps the smaller one."""
    runs = [
        {"setting": {"batch": batch, "peak": peak, "seed": seed}, "unseen": [[4, early], [8, late]]}
        for batch in (1, 2)
        for seed in (0, 1)
        for peak, early, late in [(0.1, 5.0, 3.0), (0.3, 4.0, 3.5)]
    ]
    record = {"runs": [{"setting": {"moments": [], "seed": 0}}, *runs]}
    assert {b: it.mean for b, it in results.by_batch(record, windows=8).items()} == {1: 3.0, 2: 4.0}
    assert {b: it.mean for b, it in results.by_batch(record, steps=8).items()} == {1: 3.0, 2: 3.0}
    assert set(results.by_batch(record, windows=4)) == {1}


def test_a_noise_scale_is_a_ratio_of_means() -> None:
    noise = [{"step": 5, "squared": [1.0, 3.0], "variance": [10.0, 30.0]}]
    runs = [{"setting": {}, "noise": noise}, {"setting": {}, "noise": [{**noise[0], "variance": [30.0, 30.0]}]}]
    assert results.noise_scales({"runs": runs})[5].mean == pytest.approx((20 / 2 + 30 / 2) / 2)


# --- tables of positions ---


def test_tables_differ_in_nothing_but_their_positions() -> None:
    models = {table: positions.made(table, 11, seed=3) for table in positions.TABLES}
    rows = {table: model[1][0].weight for table, model in models.items() if table != "none"}
    torch.testing.assert_close(rows["small"], 0.02 * rows["learned"])
    expected = torch.from_numpy(functional.sinusoidal_encoding(growing.WINDOW, growing.D_MODEL)).float()
    torch.testing.assert_close(rows["sines"], expected)
    assert [table for table, weight in rows.items() if not weight.requires_grad] == ["sines"]
    for table in ("small", "sines"):
        for part in (0, 2, 3):
            for one, other in zip(models[table][part].parameters(), models["learned"][part].parameters(), strict=True):
                assert torch.equal(one, other)


def test_a_head_that_does_not_choose_looks_back_evenly_and_one_that_does_is_seen() -> None:
    model = positions.made("none", 11, seed=0)
    with torch.no_grad():
        model[1][0].w_q.weight.zero_()
    even = torch.tensor([1 / (t + 1) for t in range(positions.NEAR - 1, 20)]).mean().item()
    windows = torch.arange(40).reshape(2, 20) % 11
    assert positions.looks_back(model, windows) == pytest.approx([even] * positions.NEAR, abs=1e-4)
    with torch.no_grad():  # each token is its own query and its own key, and 11 back is the same
        model[0].weight.copy_(30 * torch.eye(11, growing.D_MODEL))
        for weight in (model[1][0].w_q.weight, model[1][0].w_k.weight):
            weight.copy_(torch.eye(growing.D_MODEL))
    on_itself, *others = positions.looks_back(model, windows)
    assert 0.5 < on_itself < 1
    assert others == pytest.approx([0] * (positions.NEAR - 1), abs=1e-6)


def test_without_positions_the_likeliest_tokens_are_the_same_in_either_order() -> None:
    text = growing.text()
    for table, same in (("none", True), ("learned", False)):
        model = positions.made(table, text.vocab_size, seed=0)
        first, second = (positions.likeliest(model, text, prompt) for prompt in positions.ORDERS)
        assert (first == pytest.approx(second, abs=1e-5)) is same
        assert list(first.values()) == sorted(first.values(), reverse=True)


# --- distances ---


def test_far_keys_can_get_the_score_of_the_farthest_distance() -> None:
    """With one token everywhere, a score depends on the distance alone, up to the limit."""
    head = relative.made("rotary", 11, seed=0)[1][0].heads[0]
    x = torch.randn(1, growing.D_MODEL, generator=torch.Generator().manual_seed(0)).expand(1, 9, -1)
    by_distance = head.scores(x)[0, 8].flip(0)  # from the last query
    head.farthest = 3
    held = head.scores(x)[0, 8].flip(0)
    torch.testing.assert_close(held, torch.cat([by_distance[:4], by_distance[3].expand(5)]))
    assert (by_distance[4:] - by_distance[3]).abs().min() > 1e-4


def test_a_bias_is_seen_in_the_mean_scores(monkeypatch) -> None:
    monkeypatch.setattr(relative, "LONG", 5)
    text = growing.Text(None, torch.arange(0), torch.arange(10) % 11)
    model = relative.made("alibi", 11, seed=0)
    with torch.no_grad():
        for head in model[1][0].heads:
            head.w_q.weight.zero_()
    expected = [[-slope * n for n in range(5)] for slope in (1 / 4, 1 / 16, 1 / 64, 1 / 256)]
    for of_head, right in zip(relative.by_distance(model, text), expected, strict=True):
        assert of_head == pytest.approx(right, abs=0.006)


def test_steep_slopes_are_four_times_those_of_alibi() -> None:
    steep, plain = (relative.made(kind, 11, seed=0)[1][0].heads for kind in ("steep", "alibi"))
    assert [head.slope for head in steep] == [4 * head.slope for head in plain] == [1, 1 / 4, 1 / 16, 1 / 64]


def test_a_learned_bias_starts_as_alibi_and_counts_by_distance() -> None:
    head = relative.made("learned", 11, seed=0)[1][0].heads[0]
    x = torch.randn(1, 5, growing.D_MODEL, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(head.scores(x), relative.made("alibi", 11, seed=0)[1][0].heads[0].scores(x))
    before = head.scores(x)
    with torch.no_grad():
        head.bias[1] += 2
    added = torch.full((5, 5), 2.0) * (torch.arange(5)[:, None] - torch.arange(5)).abs().eq(1)
    torch.testing.assert_close(head.scores(x) - before, added[None])


# --- heads ---


def test_heads_that_choose_nothing_look_half_way_back_and_prefer_no_token() -> None:
    model, windows = heads.made(4, 1024, seed=0), growing.text().unseen.unfold(0, growing.WINDOW, growing.WINDOW)[:9]
    with torch.no_grad():
        for head in model[2][0].heads:
            head.w_q.weight.zero_()
    half_way = sum(t / 2 for t in range(heads.NEAR - 1, growing.WINDOW)) / (growing.WINDOW - heads.NEAR + 1)
    assert heads.distances(model, windows) == pytest.approx([half_way] * 4, rel=1e-4)
    flat, equal = heads.look_back(model, windows), 1 / torch.arange(heads.NEAR, growing.WINDOW + 1)
    assert flat == [pytest.approx([equal.mean().item()] * heads.NEAR, rel=1e-3)] * 4
    assert [len(liked) for liked in heads.preferred(model, growing.text(), windows)] == [5] * 4
    assert heads.on_line(model, growing.text()) == [[pytest.approx(1 / 5)] * 5] * 4  # the line has five tokens


def test_a_silenced_head_is_missed_and_returns(monkeypatch) -> None:
    monkeypatch.setattr(growing, "bits_per_byte", lambda model, text: model[2][0].w_o.weight.abs().sum().item())
    model = heads.made(4, 11, seed=0)
    before = model[2][0].w_o.weight.detach().clone()
    columns = before.abs().sum(dim=0).reshape(4, -1).sum(dim=-1)
    text = growing.Text(None, torch.arange(0), torch.arange(0))
    assert heads.silenced(model, text) == pytest.approx((columns.sum() - columns).tolist(), rel=1e-4)
    torch.testing.assert_close(model[2][0].w_o.weight.detach(), before)
