"""LoRA: equal to peft with every gradient, nothing at first, the same when merged, and of the rank it says."""

import peft
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from clearformer.models import GPT2Config, gpt2
from clearformer.training import LoRA, add_lora, merge_lora
from tests.few import few

CONFIG = GPT2Config(vocab_size=11, context=8, d_model=8, n_heads=2, n_layers=2, d_ff=32)


def adapted(rank: int = 2, seed: int = 0, **options) -> nn.Module:
    """A small model with updates that are not zero any more."""
    generator = torch.Generator().manual_seed(seed)
    model = gpt2(CONFIG, generator).double().eval()
    add_lora(model, rank, generator=generator, **options)
    with torch.no_grad():
        for module in model.modules():
            if isinstance(module, LoRA):
                module.b.copy_(torch.randn(module.b.shape, generator=generator))
    return model


ids = torch.randint(11, (3, 6), generator=torch.Generator().manual_seed(1))


@few
@given(st.integers(1, 8), st.integers(0, 99), st.floats(0.5, 32))
def test_merged_equals_unmerged(rank: int, seed: int, alpha: float) -> None:
    model = adapted(rank, seed, alpha=alpha)
    before = model(ids)
    merge_lora(model)
    torch.testing.assert_close(model(ids), before, rtol=0, atol=1e-6)
    assert model.state_dict().keys() == gpt2(CONFIG).state_dict().keys()
    assert all(parameter.requires_grad for parameter in model.parameters())


def test_starts_as_the_model_it_is_added_to() -> None:
    model = gpt2(CONFIG, torch.Generator().manual_seed(0))
    before = model(ids)
    add_lora(model, 4)
    assert torch.equal(model(ids), before)


@pytest.mark.parametrize("rank", [1, 3])
def test_trains_the_two_factors_and_nothing_else(rank: int) -> None:
    model = adapted(rank)
    model(ids).sum().backward()
    trained = {name for name, parameter in model.named_parameters() if parameter.requires_grad}
    assert trained == {name for name, parameter in model.named_parameters() if parameter.grad is not None}
    assert all(name.endswith((".a", ".b")) for name in trained)
    # Attention has (8, 24) and (8, 8), the feed-forward layer (8, 32) and (32, 8).
    of_a_block = rank * ((8 + 24) + (8 + 8) + (8 + 32) + (32 + 8))
    assert sum(p.numel() for p in model.parameters() if p.requires_grad) == 2 * of_a_block


def test_the_update_has_its_rank() -> None:
    weight = torch.randn(6, 9, dtype=torch.float64)
    update = LoRA(weight, 2, alpha=6.0)
    nn.init.normal_(update.b)
    assert torch.linalg.matrix_rank(update(weight) - weight) == 2
    torch.testing.assert_close(update(weight), weight + 3 * update.a @ update.b)  # 6 / 2


def test_equals_peft_with_gradients() -> None:
    ours, theirs = (nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Linear(7, 3)).double() for _ in range(2))
    theirs.load_state_dict(ours.state_dict())
    add_lora(ours, 2, alpha=8.0, matrices=["weight"])
    theirs = peft.get_peft_model(theirs, peft.LoraConfig(r=2, lora_alpha=8, target_modules=["0", "2"]))
    theirs = theirs.double()
    pairs = []
    for mine, layer in ((ours[0], theirs.base_model.model[0]), (ours[2], theirs.base_model.model[2])):
        (update,) = mine.parametrizations.weight
        nn.init.normal_(update.b)
        # nn.Linear keeps (out, in), so its update A B is theirs, B A.
        layer.lora_B["default"].weight.data.copy_(update.a.data)
        layer.lora_A["default"].weight.data.copy_(update.b.data)
        pairs += [(update.a, layer.lora_B["default"].weight), (update.b, layer.lora_A["default"].weight)]
    x = torch.randn(4, 5, dtype=torch.float64)
    torch.testing.assert_close(ours(x), theirs(x), rtol=0, atol=1e-10)
    for model in (ours, theirs):
        model(x).square().sum().backward()
    for mine, other in pairs:
        torch.testing.assert_close(mine.grad, other.grad, rtol=0, atol=1e-10)
    merge_lora(ours)
    torch.testing.assert_close(ours(x), theirs.merge_and_unload()(x), rtol=0, atol=1e-6)


def test_refuses() -> None:
    with pytest.raises(ValueError, match=r"rank=5 must be between 1 and the smaller side of a matrix, got \(4, 6\)"):
        LoRA(torch.zeros(4, 6), 5)
    with pytest.raises(ValueError, match=r"rank=1 .* got \(4,\)"):
        LoRA(torch.zeros(4), 1)
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))
    with pytest.raises(ValueError, match="no parameter of the model is named w_k or w_v"):
        add_lora(model, 1, matrices=["w_k", "w_v"])
    with pytest.raises(ValueError, match=r"rank=2 must be .* got \(1, 4\)"):
        add_lora(model, 2, matrices=["weight"])
    assert all(parameter.requires_grad for parameter in model.parameters())  # nothing was changed
    with pytest.raises(ValueError, match="no LoRA updates to merge"):
        merge_lora(model)
    add_lora(model, 1, matrices=["weight"])
    with pytest.raises(ValueError, match="already has LoRA updates"):
        add_lora(model, 1, matrices=["weight"])
