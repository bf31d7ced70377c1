"""Laws of the specifications of the figures on heads."""

import json

import numpy as np
import pytest

from linebyline.figures import attention_stages, cache_size

WEIGHTS = np.random.default_rng(0).random((3, 2, 5, 4, 4))
TOKENS = list("abab")
TARGETS = {"before": np.arange(4) - 1, "after": np.array([-1, -1, 1, 2])}
MODELS = {"small": (2, 4, 4, 8), "shared": (2, 4, 1, 8)}


def stages(weights=WEIGHTS, names=("early", "mid", "late"), tokens=TOKENS, targets=TARGETS, **options):
    return attention_stages(weights, names, tokens, targets, description="Maps.", **options)


def test_same_arguments_give_the_same_output():
    for draw in (stages, lambda: cache_size(MODELS, description="Bytes.")):
        assert json.dumps(draw()._repr_mimebundle_()) == json.dumps(draw()._repr_mimebundle_())


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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stages(names=("early", "late")), r"n_stages=2, .*T=4\), got \(3, 2, 5, 4, 4\)"),
        (lambda: stages(tokens=["a"]), r"T=1, T=1\), got"),
        (lambda: stages(WEIGHTS[0]), r"got \(2, 5, 4, 4\)"),
        (lambda: stages(-WEIGHTS), "weights must be at least 0"),
        (lambda: stages(targets={"far": np.arange(4) + 1}), "target 'far' must name one of T=4 keys"),
        (lambda: stages(head=5), "head=5 must lie between 0 and 4"),
        (lambda: cache_size({"odd": (2, 4, 3, 8)}, description="Bytes."), "odd: 4 heads on 3 key-value heads"),
        (lambda: cache_size(MODELS, tokens=7, description="Bytes."), "power=7 must lie between 8 and 17"),
        (lambda: cache_size(MODELS), "needs a description"),
    ],
)
def test_what_cannot_be_drawn_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
