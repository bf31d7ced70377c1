"""The encoder-decoder in NumPy: equal to the module on the same weights, what it may see, and refusals."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer import functional as F
from clearformer import models, nn
from clearformer.models import TransformerConfig
from tests.few import few
from tests.models.small import IDS, SIZES, SOURCE, with_numbers

CONFIG = TransformerConfig(**SIZES)
BLOCKS = {"post-norm": (nn.PostNormBlock, F.post_norm_block), "pre-norm": (nn.Block, F.block)}
each_block = pytest.mark.parametrize(("theirs", "ours"), BLOCKS.values(), ids=BLOCKS)


def transformer(config: TransformerConfig = CONFIG, block: type[nn.Block] = nn.PostNormBlock) -> models.EncoderDecoder:
    """A small one whose sines have all the digits of its weights."""
    model = with_numbers(models.transformer(config, block=block))
    model.encoder.embedding.position = nn.SinusoidalEncoding(config.context, config.d_model, dtype=torch.float64)
    return model


def arrays(model: torch.nn.Module) -> dict[str, np.ndarray]:
    return {name: tensor.numpy() for name, tensor in model.state_dict().items()}


run = partial(F.encoder_decoder, arrays(transformer()), n_heads=3)


def close(got: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-10)


@few
@given(
    sizes=st.tuples(*(st.integers(1, n) for n in (11, 3, 3, 7, 5, 6))),
    batch=st.sampled_from([(), (2,), (3, 2)]),
    n_layers=st.integers(1, 2),
    kind=st.sampled_from(list(BLOCKS)),
    single=st.booleans(),
    seed=st.integers(0, 2**16),
)
def test_logits_and_maps_equal_the_module_in_all_sizes_with_blind_rows(
    sizes: tuple[int, ...], batch: tuple[int, ...], n_layers: int, kind: str, single: bool, seed: int
) -> None:
    vocab_size, n_heads, half, d_ff, S, T = sizes
    rng, (theirs, ours) = np.random.default_rng(seed), BLOCKS[kind]
    config = replace(
        CONFIG, vocab_size=vocab_size, d_model=2 * half * n_heads, n_heads=n_heads, n_layers=n_layers, d_ff=d_ff
    )
    model = transformer(config, theirs).to(torch.float32 if single else torch.float64)
    ids, target_ids = rng.integers(vocab_size, size=(*batch, S)), rng.integers(vocab_size, size=(*batch, T))
    mask = rng.random(ids.shape) < 0.6  # some sources are all padding
    inputs = [torch.from_numpy(array) for array in (ids, target_ids, mask)]
    with torch.no_grad():
        expected = model(*inputs[:2], mask=inputs[2]).numpy()
        expected_maps = nn.attention_maps(model, *inputs[:2], mask=inputs[2])
    logits, maps = F.encoder_decoder(arrays(model), ids, target_ids, mask, n_heads=n_heads, block=ours)
    scale = np.abs(expected).max()
    near = {"rtol": 1e-5, "atol": 1e-4 * scale} if single else {"rtol": 1e-10, "atol": 1e-10 * scale}
    assert logits.dtype == expected.dtype
    np.testing.assert_allclose(logits, expected, **near)
    assert list(maps) == list(expected_maps)
    for name, weights in maps.items():
        np.testing.assert_allclose(weights, expected_maps[name], atol=1e-4 if single else 1e-10)


@each_block
def test_a_mask_of_nothing_hidden_is_none(theirs: type[nn.Block], ours) -> None:
    weights, ids, targets = arrays(transformer(block=theirs)), SOURCE.numpy(), IDS.numpy()
    open_run = partial(F.encoder_decoder, weights, ids, targets, n_heads=3, block=ours)
    close(open_run()[0], open_run(np.ones_like(ids, dtype=bool))[0])


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("inputs", "options", "message"),
    [
        (([[0, 23]], [[0]]), {}, "ids must lie between 0 and 22 for vocab_size=23, got 23"),
        (([[0, 1]], [[-1]]), {}, "ids must lie between 0 and 22 for vocab_size=23, got -1"),
        (([[]], [[0]]), {}, r"^ids must hold at least one token, got shape \(1, 0\)$"),
        (([[0]], [[]]), {}, r"^target_ids must hold at least one token, got shape \(1, 0\)$"),
        (([[0]] * 2, [[0]] * 3), {}, r"leading axes must agree: ids \(2, 1\), target_ids \(3, 1\)"),
        (([0], [[0]]), {}, r"leading axes must agree: ids \(1,\), target_ids \(1, 1\)"),
        (([[0, 1]], [[0]], [[True]]), {}, r"mask \(1, 1\) must have the shape of the ids \(1, 2\)"),
        (([[0, 1]], [[0]], [True, True]), {}, r"mask \(2,\) must have the shape of the ids \(1, 2\)"),
        (([[0]], [[0]]), {"n_heads": 5}, r"w_q \(12, 12\) must have a multiple of n_heads=5 columns"),
    ],
)
def test_refuses_what_does_not_fit(inputs: tuple, options: dict, message: str) -> None:
    tokens = [np.array(each, dtype=np.int64) for each in inputs[:2]]
    with pytest.raises(ValueError, match=message):
        run(*tokens, *(np.array(each) for each in inputs[2:]), **options)


@pytest.mark.usefixtures("unchecked")
def test_refuses_the_wrong_types_and_missing_weights() -> None:
    ids = np.array([[3, 1]])
    with pytest.raises(TypeError, match="ids must hold integers, got dtype float64"):
        run(ids.astype(float), ids)
    with pytest.raises(TypeError, match=r"mask must be boolean.*got dtype int64"):
        run(ids, ids, np.ones_like(ids))
    weights = arrays(transformer())
    del weights["decoder.blocks.1.cross.b_o"]
    with pytest.raises(KeyError, match=r"decoder\.blocks\.1\.cross\.b_o"):
        F.encoder_decoder(weights, ids, ids, n_heads=3)
