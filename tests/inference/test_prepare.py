"""Prepared models: what they compute is what the model computes, whatever its parts are; and int8 stays close."""

import copy

import pytest
import torch

from clearformer import decoding
from clearformer.inference import prepare
from clearformer.inference.products import Product
from clearformer.models import BertConfig, CachedDecoder, GPT2Config, MaskedLMHead, bert, gpt2
from clearformer.nn import LayerNorm, attention_maps
from linebyline.corpora import docstrings_split
from linebyline.evaluation import bits_per_byte
from linebyline.pretrained import language_model
from tests.models.small import DECODERS, ENCODER_DECODERS, IDS, SIZES, SOURCE, THERE, gpt, t5, with_numbers
from tests.models.test_cached_decoder import unusual


def masked() -> torch.nn.Module:
    model = with_numbers(bert(BertConfig(**SIZES)))
    model.head = MaskedLMHead(model.embedding, LayerNorm(12), generator=torch.Generator().manual_seed(0))
    return model.double()


def close(got: torch.Tensor, expected: torch.Tensor) -> None:
    torch.testing.assert_close(got, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("make", [*DECODERS.values(), unusual, masked])
def test_a_prepared_stack_computes_the_same(make) -> None:
    model = make()
    close(prepare(model)(IDS), model(IDS))
    close(prepare(model)(IDS[0]), model(IDS[0]))


@pytest.mark.parametrize("make", ENCODER_DECODERS.values(), ids=ENCODER_DECODERS)
def test_a_prepared_encoder_decoder_computes_the_same(make) -> None:
    model = make()
    close(prepare(model)(SOURCE, IDS, mask=THERE), model(SOURCE, IDS, mask=THERE))


@pytest.mark.parametrize("make", [*DECODERS.values(), unusual])
@pytest.mark.parametrize("n_beams", [1, 4])
def test_a_prepared_decoder_writes_the_same(make, n_beams: int) -> None:
    model = make()
    for prompt in IDS:
        plain, fast = (
            decoding.beam_search(CachedDecoder(each), prompt, 9, n_beams=n_beams) for each in (model, prepare(model))
        )
        assert [tokens for tokens, _ in plain] == [tokens for tokens, _ in fast]


@pytest.mark.slow
def test_large_matrices_compute_the_same_in_float32() -> None:
    """Matrices this large take other products, for one row and for several."""
    config = GPT2Config(vocab_size=1001, context=32, d_model=512, n_heads=8, n_layers=2, d_ff=2048)
    model = gpt2(config, torch.Generator().manual_seed(0))
    ids = torch.randint(1001, (4, 9), generator=torch.Generator().manual_seed(1))
    with torch.inference_mode():
        for rows in (ids, ids[:1], ids[:1, :1]):
            torch.testing.assert_close(prepare(model)(rows), model(rows), rtol=1e-5, atol=1e-5)
    found = [decoding.greedy_search(CachedDecoder(each), ids, 12) for each in (model, prepare(model))]
    assert found[0] == found[1]


@pytest.mark.parametrize("shape", [(512, 512), (640, 511)])
@pytest.mark.parametrize("rows", [(1,), (3,), (2, 1), (2, 5)])
@pytest.mark.parametrize("operator", [True, False], ids=["oneDNN", "without"])
def test_products(shape, rows, operator: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The private operator may be missing: the product is the same."""
    if not operator:
        monkeypatch.setattr("clearformer.inference.products.ONEDNN", None)
        monkeypatch.setattr("clearformer.inference.products.INT8", None)
    draw = torch.Generator().manual_seed(0)
    w, b, x = (torch.randn(size, generator=draw) for size in (shape, shape[1:], (*rows, shape[0])))
    product = Product(w, b)
    torch.testing.assert_close(product(x), x @ w + b, rtol=1e-4, atol=1e-3)
    torch.testing.assert_close(product.part(64, 448)(x), (x @ w + b)[..., 64:448], rtol=1e-4, atol=1e-3)
    rounded = Product(w, b, int8=True)(x)
    assert (rounded - (x @ w + b)).norm() < 0.02 * (x @ w).norm()


def test_weights_are_shared_and_the_model_stays_as_it_was() -> None:
    model = gpt2(GPT2Config(**SIZES)).train()
    fast = prepare(model)
    assert model.training
    assert not any(module.training for module in fast.modules())
    assert fast.blocks[0].attention.to_qkv.columns.data_ptr() == model.blocks[0].attention.w_qkv.data_ptr()
    assert not fast(IDS).requires_grad
    assert model.state_dict().keys() == fast.state_dict().keys()
    assert repr(fast) == repr(model)


def test_hooks_are_called_and_weights_captured() -> None:
    model, called = gpt(), []
    model.blocks[1].feed_forward.register_forward_hook(lambda *_: called.append(True))
    prepare(model)(IDS)
    assert called == [True]
    maps = attention_maps(prepare(model), IDS)
    for name, weights in attention_maps(model, IDS).items():
        close(maps[name], weights)


@pytest.mark.parametrize("make", DECODERS.values(), ids=DECODERS)
def test_int8_decoders_stay_close(make) -> None:
    model = make().float()
    fast = prepare(model, int8=True)
    assert not any(name.split(".")[-1].startswith("w_") for name in fast.state_dict())
    assert 0 < (fast(IDS) - model(IDS)).norm() < 0.1 * model(IDS).norm()
    with torch.inference_mode():
        whole = decoding.greedy_search(lambda ids: fast(ids)[:, -1], IDS[:1], 5)
    assert decoding.greedy_search(CachedDecoder(fast), IDS[:1], 5) == whole
    assert repr(fast) == repr(model)


def test_int8_encoder_decoder_and_encoder_stay_close() -> None:
    model, encoder = t5().bfloat16(), masked().float()
    expected = copy.deepcopy(model).float()(SOURCE, IDS, mask=THERE)
    fast = prepare(model, int8=True)(SOURCE, IDS, mask=THERE)
    assert fast.dtype == torch.float32
    assert (fast - expected).norm() < 0.1 * expected.norm()
    assert (prepare(encoder, int8=True)(IDS) - encoder(IDS)).norm() < 0.1 * encoder(IDS).norm()


def test_int8_leaves_modules_from_elsewhere_alone() -> None:
    """A head of ``nn.Linear`` has a parameter named weight: it must compute as before."""
    model = gpt().float()
    model.lm_head = torch.nn.Linear(12, 23)
    fast = prepare(model, int8=True)
    assert torch.equal(fast.lm_head.weight, model.lm_head.weight)
    assert (fast(IDS) - model(IDS)).norm() < 0.1 * model(IDS).norm()


def test_the_language_model_loses_little_in_int8() -> None:
    trained = language_model()
    text = docstrings_split()[1][:20_000]
    before = bits_per_byte(trained, text)
    object.__setattr__(trained, "model", prepare(trained.model, int8=True))
    assert 0 < abs(bits_per_byte(trained, text) - before) < 0.02
