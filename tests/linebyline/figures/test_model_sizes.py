"""Laws of the specification of the calculator."""

import json

import pytest

from linebyline.figures import model_sizes
from linebyline.sizes import PUBLISHED, Sizes

MODELS = {name: Sizes.of(config) for name, config in PUBLISHED.items()}


def test_same_arguments_give_the_same_output():
    first, second = (model_sizes(MODELS, description="Sums.") for _ in range(2))
    assert json.dumps(first._repr_mimebundle_()) == json.dumps(second._repr_mimebundle_())


def test_each_published_size_can_be_chosen_for_another_model():
    params = {param["name"]: param for param in model_sizes(MODELS, description="Sums.").spec["params"]}
    for name in ("d_model", "n_layers", "n_heads", "n_kv_heads", "d_ff", "vocab_size"):
        choices = json.loads(params[name]["expr"].split(" ? ")[1].split("[" + name)[0])
        assert {getattr(sizes, name) for sizes in MODELS.values()} <= set(choices)
        assert choices == sorted(set(choices))
        assert params[f"{name}_choice"]["bind"]["max"] == len(choices)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: model_sizes(dict(list(MODELS.items())[:1]), description="Sums."), "one of 1 models, of which two"),
        (lambda: model_sizes(MODELS, model=6, description="Sums."), "model=6 must be one of 6"),
        (lambda: model_sizes(MODELS, tokens=7, description="Sums."), "power=7 must lie between 8 and 17"),
        (lambda: model_sizes(MODELS), "needs a description"),
    ],
)
def test_what_cannot_be_drawn_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
