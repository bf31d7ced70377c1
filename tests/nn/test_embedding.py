"""The embedding module: equal to BERT's and to NumPy's, scaled, and what it refuses."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import BertConfig
from transformers.models.bert.modeling_bert import BertEmbeddings

from clearformer import functional as F
from clearformer import nn
from tests.nn.parts import RTOL, close, generator, gradients, with_numbers

VOCAB, D_MODEL, CONTEXT = 11, 6, 16
IDS = torch.tensor([[3, 1, 4, 1, 5], [9, 2, 6, 5, 10]])
SEGMENTS = torch.tensor([[0, 0, 1, 1, 2], [2, 1, 0, 0, 1]])


def embedding(dtype: torch.dtype = torch.float64, **parts) -> nn.Embedding:
    return with_numbers(nn.Embedding(VOCAB, D_MODEL, generator=generator(), **parts).to(dtype))


def learned() -> nn.LearnedEncoding:
    return nn.LearnedEncoding(CONTEXT, D_MODEL, generator=generator())


# --- by hand, NumPy and BERT ---


class Square(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.square()


def test_by_hand() -> None:
    """What the norm is given is 2 E + P + G."""
    made = embedding(position=learned(), n_segments=2, norm=Square(), scale=2.0)
    e, p, g = made.table, made.position.table, made.segments
    got = made(torch.tensor([3, 1]), 7, segments=torch.tensor([1, 0]))
    close(got, torch.stack([2 * e[3] + p[7] + g[1], 2 * e[1] + p[8] + g[0]]).square())


@pytest.mark.parametrize("dtype", RTOL)
@pytest.mark.parametrize("segments", [None, SEGMENTS], ids=["one segment", "three segments"])
def test_equal_to_bert_with_gradients(segments: torch.Tensor | None, dtype: torch.dtype) -> None:
    sizes = {"vocab_size": VOCAB, "hidden_size": D_MODEL, "max_position_embeddings": CONTEXT, "type_vocab_size": 3}
    config = BertConfig(**sizes, num_attention_heads=1, pad_token_id=None)
    theirs = BertEmbeddings(config).to(dtype).eval()
    ours = embedding(dtype, position=learned(), n_segments=3, norm=nn.LayerNorm(D_MODEL, eps=config.layer_norm_eps))
    names = {"table": "word_embeddings.weight", "segments": "token_type_embeddings.weight"}
    names |= {"position.table": "position_embeddings.weight"}
    names |= {"norm.gamma": "LayerNorm.weight", "norm.beta": "LayerNorm.bias"}
    theirs.load_state_dict({names[name]: value for name, value in ours.state_dict().items()})
    got, expected = ours(IDS, segments=segments), theirs(IDS, token_type_ids=segments)
    close(got, expected)
    mine = gradients([ours.get_parameter(name) for name in names], got)
    others = gradients([theirs.get_parameter(name) for name in names.values()], expected)
    for one, other in zip(mine, others, strict=True):
        close(one, other)


@given(st.lists(st.integers(0, VOCAB - 1), min_size=1, max_size=CONTEXT), st.floats(0.1, 10.0), st.booleans())
def test_equal_to_numpy(ids: list[int], scale: float, narrow: bool) -> None:
    ours = embedding(scale=scale)
    expected = scale * F.embed(torch.tensor(ids).numpy(), ours.table.detach().numpy())
    close(ours(torch.tensor(ids, dtype=torch.int32 if narrow else torch.int64)), torch.from_numpy(expected))


# --- as a module ---


@given(st.integers(0, CONTEXT - 5), st.booleans())
def test_tokens_one_by_one(first: int, turned: bool) -> None:
    ours = embedding(position=learned(), n_segments=3, norm=nn.LayerNorm(D_MODEL), scale=2.0)
    whole = ours(IDS, first, segments=SEGMENTS)
    for t in range(5):
        close(ours(IDS[:, t : t + 1], first + t, segments=SEGMENTS[:, t : t + 1]), whole[:, t : t + 1])
    order = [1, 0] if turned else [0, 1]
    close(ours(IDS[order], first, segments=SEGMENTS[order]), whole[order])


def test_start_and_names() -> None:
    made = nn.Embedding(400, 300, n_segments=200, position=learned(), generator=generator())
    assert list(made.state_dict()) == ["table", "segments", "position.table"]
    assert made.table.norm(dim=-1).mean().item() == pytest.approx(1.0, rel=0.01)
    assert made.segments.norm(dim=-1).mean().item() == pytest.approx(1.0, rel=0.01)
    assert not torch.equal(made.table[:200], made.segments)
    assert list(nn.Embedding(4, 3, generator=generator()).state_dict()) == ["table"]


# --- refusals ---


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: nn.Embedding(0, 3), ValueError, r"^vocab_size=0 must be at least 1$"),
        (lambda: nn.Embedding(3, 0), ValueError, r"^d_model=0 must be at least 1$"),
        (lambda: nn.Embedding(3, 2, n_segments=-1), ValueError, r"^n_segments=-1 must not be negative$"),
        (lambda: embedding()(IDS.double()), TypeError, r"^ids must be int64 or int32, got dtype torch.float64$"),
        (lambda: embedding()(IDS > 1), TypeError, r"^ids must be int64 or int32, got dtype torch.bool$"),
        (lambda: embedding()(IDS[:, :0]), ValueError, r"^ids must hold at least one token, got shape \(2, 0\)$"),
        (lambda: embedding()(IDS + 1), ValueError, r"^ids 2 to 11 must be between 0 and vocab_size - 1 = 10$"),
        (lambda: embedding()(IDS - 2), ValueError, r"^ids -1 to 8 must be between 0 and vocab_size - 1 = 10$"),
        (lambda: embedding()(IDS, segments=SEGMENTS), ValueError, r"^segments were given, but .* has n_segments=0$"),
        (lambda: embedding(n_segments=2)(IDS, segments=SEGMENTS), ValueError, "^segments 0 to 2 must be .*= 1$"),
        (lambda: embedding(n_segments=3)(IDS, segments=SEGMENTS.double()), TypeError, "^segments must be int64 or"),
        (lambda: embedding(position=learned())(IDS, 12), ValueError, "^positions 12 to 16 are needed, .*context=16"),
    ],
)
def test_refuses_what_has_no_vector(call, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
