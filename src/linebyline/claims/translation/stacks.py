"""Claims on the wiring: what goes into the encoder and the decoder, and what goes from one to the other."""

from collections.abc import Callable
from itertools import combinations

import torch
from torch import Tensor, nn

from clearformer.models import EncoderDecoder, Sources, TransformerConfig, transformer
from clearformer.nn import Block, MultiHeadAttention
from linebyline.claims.declare import claim, corrected, depends, difference, holds

CONFIG = TransformerConfig(vocab_size=23, context=16, d_model=12, n_heads=3, n_layers=3, d_ff=24)


def _model() -> EncoderDecoder:
    return transformer(CONFIG, torch.Generator().manual_seed(0)).double().eval()


def _ids(n: int, seed: int = 1) -> Tensor:
    return torch.randint(1, 23, (n,), generator=torch.Generator().manual_seed(seed))


def _blocks(stack: nn.Module) -> list[Block]:
    return [module for module in stack.modules() if isinstance(module, Block)]


@claim("000.batch-apart", "sec-whole-transformer", "No operation mixes the sequences of a batch.")
@depends("None mixes them, but a longer neighbour brings padding, and padding must be hidden.")
@torch.no_grad()
def _batch() -> str:
    model, target = _model(), _ids(4, 3)[None]
    source, padded = _ids(3)[None], torch.cat([_ids(3), torch.zeros(4, dtype=torch.int64)])[None]
    alone = model(source, target)
    hidden, open_ = (model(padded, target, mask=mask) for mask in (padded != 0, None))
    change = float((open_ - alone).abs().max() / alone.abs().max())
    return f"3 words and 4 of padding, hidden: {difference(float((hidden - alone).abs().max()))}; seen: {change:.0%}"


@torch.no_grad()
def _moved(change: Callable[[EncoderDecoder], None]) -> list[bool]:
    """Say of each block of the decoder whether its keys of the source move with a change of the model."""
    model, source = _model(), _ids(5)
    before = model.encode(source).held
    change(model)
    return [bool((a.k - b.k).abs().max() > 1e-9) for a, b in zip(before, model.encode(source).held, strict=True)]


@claim(
    "001.layer-to-layer",
    "sec-whole-transformer",
    "In the diagram the first layer of the encoder feeds the first layer of the decoder.",
)
@corrected("Every block of the decoder reads what the last block of the encoder gave.")
def _from_the_last() -> str:
    def change(model: EncoderDecoder) -> None:
        for weight in _blocks(model.encoder)[-1].feed_forward.parameters():
            weight.mul_(2)

    return f"the last block of the encoder changed: keys move in {sum(_moved(change))} of 3 blocks of the decoder"


@claim(
    "001.read-out-in-layer",
    "sec-whole-transformer",
    "In the diagram the linear layer and the softmax belong to a decoder layer.",
)
@corrected("They stand once, behind the last block; here the linear layer is the table of the embedding.")
def _one_lm_head() -> str:
    model = _model()
    inside = sum(model.decoder.lm_head is module for block in _blocks(model.decoder) for module in block.modules())
    wide = [name for name, weight in model.named_parameters(remove_duplicate=True) if 23 in weight.shape]
    return f"read-outs inside 3 blocks: {inside}, behind them 1; matrices as wide as the vocabulary: {len(wide)}"


@claim(
    "002.encoder-fed-qkv",
    "sec-whole-transformer",
    "The embeddings are turned into Q, K and V, and these are fed into the encoder's block.",
)
@corrected("The block is fed vectors of tokens. It makes Q, K and V of them inside, by matrices of its own.")
@torch.no_grad()
def _fed_to_the_encoder() -> str:
    model, entered = _model(), list[tuple[int, ...]]()
    model.encoder.blocks[0].register_forward_pre_hook(lambda block, given: entered.append(tuple(given[0].shape)))
    model.encode(_ids(5))
    matrices = [m.w_qkv for m in model.encoder.modules() if isinstance(m, MultiHeadAttention)]
    equal = sum(torch.equal(a, b) for a, b in combinations(matrices, 2))
    return f"block 1 is given {entered[0]}; 3 blocks hold {len(matrices)} matrices of Q, K, V; equal pairs: {equal}"


@claim("002.n-times", "sec-whole-transformer", "The encoder is repeated N times, and the decoder too.")
@depends("In shape. Each block has weights of its own.")
def _repeated() -> str:
    first, *others = (block.state_dict() for block in _blocks(_model().encoder))
    weights = [name for name in first if ".w_" in name]
    equal = sum(torch.equal(first[name], other[name]) for name in weights for other in others)
    return f"3 blocks, weight matrices of the others that equal one of the first: {equal} of {2 * len(weights)}"


@claim(
    "002.passed-to-the-decoder",
    "sec-whole-transformer",
    "What comes out of the N blocks of the encoder is passed to a decoder.",
)
@holds("To each of its blocks, as that block's keys and values.")
@torch.no_grad()
def _to_every_block() -> str:
    model, target = _model(), _ids(4, 3)
    own, other = (model.encode(_ids(5, seed)).held for seed in (1, 2))
    right = model.decoder(target, Sources(own, None))
    moved = [
        (model.decoder(target, Sources([*own[:n], other[n], *own[n + 1 :]], None)) - right).abs().max() > 1e-9
        for n in range(3)
    ]
    return f"one block is given another source: the logits move for {sum(moved)} of 3 blocks"
