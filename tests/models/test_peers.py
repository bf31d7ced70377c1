"""The named models: equal to those of ``transformers`` and PyTorch on the same weights, outputs and every gradient."""

from dataclasses import astuple, replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from clearformer.models.tensor_names import Rule
from clearformer.nn import LayerNorm
from linebyline.parity import MODELS, PROMISED, Model, measure_model, peers, table
from linebyline.parity.models import ModelSizes, all_models

BY_NAME = {case.name: case for case in MODELS}
each_model = pytest.mark.parametrize("number", range(len(MODELS)), ids=list(BY_NAME))
each_type = pytest.mark.parametrize("dtype", PROMISED)


def all_different(sizes: ModelSizes) -> bool:
    return len(set(astuple(sizes))) == len(astuple(sizes))


@st.composite
def random_sizes(draw: st.DrawFn) -> ModelSizes:
    # Up to eight heads the slopes of ALiBi are powers of two; beyond, ours and Bloom's are rounded to float32.
    n_kv_heads = draw(st.integers(2, 3))
    found = {"n_kv_heads": n_kv_heads, "n_heads": 2 * n_kv_heads}
    ranges = {
        "d_model": range(24, 49, 12),
        "d_k": range(8, 15, 2),
        "n_layers": range(1, 4),
        **dict.fromkeys(("B", "T", "S"), range(2, 10)),
        "context": range(9, 21),
        "vocab_size": range(21, 41),
        "d_ff": range(16, 41),
    }
    for name, allowed in ranges.items():
        found[name] = draw(st.sampled_from([n for n in allowed if n not in found.values()]))
    return ModelSizes(**found)


@each_type
@each_model
def test_outputs_and_every_gradient_equal_the_peer(number: int, dtype: str) -> None:
    found = measure_model(MODELS[number], dtype)
    in_numpy = {"functional"} if MODELS[number].functional else set()
    assert found.largest.keys() == {"module", "gradients"} | in_numpy
    for name, difference in found.largest.items():
        # Room to spare, or the page could say something else on another machine.
        assert difference < MODELS[number].bound(dtype) / 3, name


@each_model
@given(sizes=random_sizes())
@settings(max_examples=3)
def test_so_they_do_in_any_sizes(number: int, sizes: ModelSizes) -> None:
    assert all_different(sizes)
    case = all_models(sizes, seed=1)[number]
    for dtype, bound in PROMISED.items():
        assert max(measure_model(case, dtype).largest.values()) < bound


def test_what_all_sizes_are() -> None:
    assert all_different(ModelSizes())
    assert len(BY_NAME) == len(MODELS)
    assert all(case.bound(dtype) <= bound for case in MODELS for dtype, bound in PROMISED.items())


@each_model
def test_a_weight_that_is_off_by_a_thousandth_is_seen(number: int) -> None:
    case = all_models(replace(ModelSizes(), n_layers=1))[number]
    pair = case.make()
    made = replace(case, make=lambda: pair)
    for name, weight in pair.ours.named_parameters():
        right = weight.detach().clone()
        with torch.no_grad():
            weight.mul_(1.001)
        assert max(measure_model(made, "float32").largest.values()) > PROMISED["float32"], name
        with torch.no_grad():
            weight.copy_(right)
    assert max(measure_model(made, "float32").largest.values()) < PROMISED["float32"]


@each_type
@each_model
def test_gradients_that_are_off_are_seen_where_the_output_is_right(number: int, dtype: str) -> None:
    case = MODELS[number]

    def steeper(model: torch.nn.Module) -> torch.Tensor:
        output = case.ours(model)
        return output + 1e-4 * (output - output.detach())

    found = measure_model(replace(case, ours=steeper), dtype)
    assert found.largest["module"] < case.bound(dtype)
    with pytest.raises(ValueError, match=rf"{case.name}, gradients, {dtype}: 1\.?\d?e-04 is not below"):
        table([found], "Model")


@each_type
def test_arrays_that_are_off_are_seen(dtype: str) -> None:
    case = BY_NAME["Transformer, post-norm"]
    found = measure_model(replace(case, functional=lambda weights: 1.0001 * case.functional(weights)), dtype)
    assert found.largest["module"] < case.bound(dtype)
    with pytest.raises(ValueError, match=rf"{case.name}, functional, {dtype}: 1\.?\d?e-04 is not below"):
        table([found], "Model")


def test_slopes_that_are_off_are_seen() -> None:
    case = BY_NAME["Bloom, 5 heads"]
    pair = case.make()
    pair.ours.position_bias.slopes.mul_(1.001)
    assert measure_model(replace(case, make=lambda: pair), "float32").largest["module"] > PROMISED["float32"]


@pytest.mark.parametrize("name", ["Llama 3, scaled angles", "Bloom, 4 heads", "T5, ReLU, tied"])
def test_a_peer_that_rounds_to_float32_is_seen(name: str) -> None:
    case = BY_NAME[name]
    ours, theirs, _ = case.make()
    difference = case.ours(ours.double()) - case.theirs(theirs.double())
    assert difference.abs().max() > PROMISED["float64"]


def test_another_shape_is_refused() -> None:
    cut: Model = replace(BY_NAME["GPT-2"], ours=lambda model: model(torch.tensor([[3, 1]])))
    with pytest.raises(ValueError, match=r"GPT-2: got \(1, 2, 31\) float32 where transformers GPT2LMHeadModel has"):
        measure_model(cut, "float32")


def test_a_weight_without_a_place_is_refused() -> None:
    rules = [Rule("gamma", ("weight",)), Rule("delta", ("bias",))]
    with pytest.raises(ValueError, match=r"\['beta', 'delta'\] have no rule, or no place"):
        peers.same_weights(LayerNorm(3), torch.nn.LayerNorm(3), rules)


def test_measuring_leaves_the_global_generator_alone() -> None:
    before = torch.get_rng_state()
    for case in MODELS:
        measure_model(case, "float32")
    assert torch.equal(torch.get_rng_state(), before)
