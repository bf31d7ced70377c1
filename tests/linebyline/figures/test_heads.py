"""Laws of the specifications of the figures on heads."""

import numpy as np
import pytest

from linebyline.figures import attention_stages, cache_size

WEIGHTS = np.random.default_rng(0).random((3, 2, 5, 4, 4))
TOKENS = list("abab")
TARGETS = {"before": np.arange(4) - 1, "after": np.array([-1, -1, 1, 2])}
MODELS = {"small": (2, 4, 4, 8), "shared": (2, 4, 1, 8)}


def stages(weights=WEIGHTS, names=("early", "mid", "late"), tokens=TOKENS, targets=TARGETS, **options):
    return attention_stages(weights, names, tokens, targets, description="Maps.", **options)


def test_a_cell_carries_its_weight_in_every_map():
    rows = stages().spec["data"]["values"]
    assert len(rows) == 16
    for row in rows:
        expected = WEIGHTS[..., row["query"], row["key"]].ravel()
        np.testing.assert_allclose(row["maps"], expected, atol=5.001e-5)
    assert [(row["query"], row["key"]) for row in rows if row["marked"]] == [(2, 1), (3, 2)]


def test_numbers_of_a_token_are_counted():
    small, shared = cache_size(MODELS, description="Bytes.").spec["data"]["values"]
    assert (small["numbers"], small["group"]) == (2 * 2 * 4 * 8, 1)
    assert (shared["numbers"], shared["group"]) == (2 * 2 * 1 * 8, 4)


@pytest.mark.parametrize(("tokens", "angle"), [(list("ab"), 0), (["the", "b"], -90)])
def test_words_are_written_upwards_along_the_top(tokens, angle):
    weights, target = np.ones((1, 1, 1, 2, 2)), {"itself": np.arange(2)}
    view = attention_stages(weights, ["only"], tokens, target, description="A map.").spec["vconcat"][0]
    assert view["encoding"]["x"]["axis"]["labelAngle"] == angle
    assert view["encoding"]["y"]["axis"]["labelAngle"] == 0
