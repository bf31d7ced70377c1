"""Laws of the specification of the calculator."""

import json

from linebyline.figures import model_sizes
from linebyline.sizes import PUBLISHED, Sizes

MODELS = {name: Sizes.of(config) for name, config in PUBLISHED.items()}


def test_each_published_size_can_be_chosen_for_another_model():
    params = {param["name"]: param for param in model_sizes(MODELS, description="Sums.").spec["params"]}
    for name in ("d_model", "n_layers", "n_heads", "n_kv_heads", "d_ff", "vocab_size"):
        choices = json.loads(params[name]["expr"].split(" ? ")[1].split("[" + name)[0])
        assert {getattr(sizes, name) for sizes in MODELS.values()} <= set(choices)
        assert choices == sorted(set(choices))
        assert params[f"{name}_choice"]["bind"]["max"] == len(choices)
