"""Claims on recurrent translators, on why the Transformer took their place, and on its wiring."""

from collections.abc import Callable
from itertools import combinations

import torch
from torch import Tensor, nn

from clearformer.models import EncoderDecoder, Memory, TransformerConfig, transformer
from clearformer.nn import Block, FeedForward, MultiHeadAttention
from linebyline.claims.declare import claim, corrected, depends, difference, holds, operations
from linebyline.recurrent import AttentiveTranslator, RecurrentTranslator

# Prefixes of the names that PyTorch gives to the gradients of operations.
PRODUCTS, SOFTMAXES = ("Addmm", "Mm", "Bmm"), ("Softmax", "ScaledDotProduct")
Make = Callable[..., nn.Module]


def _transformer(vocab_size: int, d_model: int, generator: torch.Generator) -> nn.Module:
    return transformer(TransformerConfig(vocab_size, 64, d_model, 4, 2, 4 * d_model), generator)


def _longest_chain(output: Tensor, kinds: tuple[str, ...]) -> int:
    """The largest number of operations of some kinds on one path to an output, each of which waits for the last."""
    lengths: dict[object, int] = {}

    def length(node: torch.autograd.graph.Node | None) -> int:
        if node is None:
            return 0
        if node not in lengths:
            before = max((length(earlier) for earlier, _ in node.next_functions), default=0)
            lengths[node] = before + type(node).__name__.startswith(kinds)
        return lengths[node]

    return length(output.grad_fn)


def _chains(make: Make, kinds: tuple[str, ...]) -> str:
    """The longest chain for a sentence of 5 words and for one of 10, as source and as target."""
    ids = torch.arange(10)[None]
    model = make(11, 8, generator=torch.Generator().manual_seed(0))
    return " and ".join(str(_longest_chain(model(ids[:, :n], ids[:, :n]), kinds)) for n in (5, 10))


@claim("001", "parallel-training", "Before the Transformer recursive neural networks (RNN) were in use.")
@corrected("Recurrent ones: a cell goes along the line of words. A recursive network goes along a tree.")
def _recursive() -> str:
    steps = "16 along the line, 4 along a tree of pairs"  # 16 -> 8 -> 4 -> 2 -> 1
    return f"by arithmetic: 16 words, steps that wait for one another: {steps}"


@claim("001", "parallel-training")
@depends("So the paper found on its two corpora. A step is not cheaper in operations; fewer have to wait.")
def _quality_and_cost() -> str:
    """Transformers outdid recurrent networks in quality of translation and cost of training."""

    def millions(make: Make) -> str:
        ids, model = torch.arange(12)[None], make(1000, 96, generator=torch.Generator().manual_seed(0))
        return f"{operations(model, ids, ids) / 1e6:.0f}M"

    kinds: dict[str, Make] = {"recurrent": RecurrentTranslator, "with attention": AttentiveTranslator}
    kinds["Transformer"] = _transformer
    counts = ", ".join(f"{name} {millions(make)}" for name, make in kinds.items())
    return f"operations for a sentence of 12 words, width 96, 1,000 words known: {counts}"


@claim("002", "parallel-training", "Models improved from RNN to GRU to LSTM, with more and more complexity.")
@corrected("That is their order by size. In time the LSTM (1997) came first; the GRU (2014) is simpler.")
def _rnn_gru_lstm() -> str:
    cells = {"RNN": nn.RNNCell, "GRU": nn.GRUCell, "LSTM": nn.LSTMCell}
    sizes = {name: sum(weight.numel() for weight in cell(8, 8).parameters()) for name, cell in cells.items()}
    return "parameters of a cell of width 8: " + ", ".join(f"{name} {size}" for name, size in sizes.items())


@claim("002", "parallel-training")
@holds("The chain grows with the sentence. That of a Transformer grows with its blocks alone.")
def _one_by_one() -> str:
    """Sequential models take in one word at a time, and the last unit waits for all before it."""
    chains = f"recurrent {_chains(RecurrentTranslator, PRODUCTS)}, Transformer {_chains(_transformer, PRODUCTS)}"
    return f"matrix products in the longest chain, 5 and 10 words: {chains}"


@claim("002", "parallel-training", "Each unit is a bottleneck to the flow of information.")
@holds(
    "What is passed from unit to unit is as large for a long sentence as for a short one. Attention goes around it, in "
    "recurrent networks too."
)
@torch.no_grad()
def _bottleneck() -> str:
    model = AttentiveTranslator(11, 8, generator=torch.Generator().manual_seed(0))
    short, long = (model.encode(torch.arange(n)[None] % 11) for n in (5, 20))
    vector = f"{short.summary.numel()}, {long.summary.numel()}"
    states = f"{short.states.numel()}, {long.states.numel()}"
    return f"numbers that the decoder gets of 5 and of 20 words: as one vector {vector}; with attention {states}"


@claim("002", "parallel-training", "Unlike in the earlier attention, all scores can be computed at the same time.")
@depends("Within a layer: there a query need not wait for the one before. Layers still wait for each other.")
def _scores_at_once() -> str:
    chains = f"recurrent {_chains(AttentiveTranslator, SOFTMAXES)}, Transformer {_chains(_transformer, SOFTMAXES)}"
    return f"attentions in the longest chain, 5 and 10 words: {chains}"


@claim("002", "parallel-training", "The Transformer combines attention with processing in the style of a CNN.")
@corrected(
    "No layer slides a window over neighbors. The feed-forward layer is a convolution of width 1: it sees one word."
)
@torch.no_grad()
def _cnn_style() -> str:
    model = _transformer(11, 8, torch.Generator().manual_seed(0))
    convolutions = sum(isinstance(module, nn.Conv1d) for module in model.modules())
    layer = next(module for module in model.modules() if isinstance(module, FeedForward))
    x = torch.randn(1, 6, 8, generator=torch.Generator().manual_seed(1))
    narrow = nn.functional.conv1d(x.mT, layer.w_in.T[..., None], layer.b_in).relu()
    narrow = nn.functional.conv1d(narrow, layer.w_out.T[..., None], layer.b_out).mT
    error = difference(float((narrow - layer(x)).abs().max()), 1e-5)
    return f"convolutions in the model: {convolutions}; the feed-forward layer as one of width 1: {error}"


CONFIG = TransformerConfig(vocab_size=23, context=16, d_model=12, n_heads=3, n_layers=3, d_ff=24)


def _model() -> EncoderDecoder:
    return transformer(CONFIG, torch.Generator().manual_seed(0)).double().eval()


def _ids(n: int, seed: int = 1) -> Tensor:
    return torch.randint(1, 23, (n,), generator=torch.Generator().manual_seed(seed))


def _blocks(stack: nn.Module) -> list[Block]:
    return [module for module in stack.modules() if isinstance(module, Block)]


@claim("000", "first-transformer", "No operation mixes the sequences of a batch.")
@depends("None mixes them, but a longer neighbor brings padding, and padding must be hidden.")
@torch.no_grad()
def _batch_apart() -> str:
    model, target = _model(), _ids(4, 3)[None]
    source, padded = _ids(3)[None], torch.cat([_ids(3), torch.zeros(4, dtype=torch.int64)])[None]
    alone = model(source, target)
    hidden, open_ = (model(padded, target, mask=mask) for mask in (padded != 0, None))
    change = float((open_ - alone).abs().max() / alone.abs().max())
    return f"3 words and 4 of padding, hidden: {difference(float((hidden - alone).abs().max()))}; seen: {change:.0%}"


@torch.no_grad()
def _moved(change: Callable[[EncoderDecoder], None]) -> list[bool]:
    """Whether a change of the model changes the keys of the source, for each block of the decoder."""
    model, source = _model(), _ids(5)
    before = model.encode(source).caches
    change(model)
    return [bool((a.k - b.k).abs().max() > 1e-9) for a, b in zip(before, model.encode(source).caches, strict=True)]


@claim("001", "first-transformer")
@corrected("Every block of the decoder reads what the last block of the encoder gave.")
def _layer_to_layer() -> str:
    """In the diagram the first layer of the encoder feeds the first layer of the decoder."""

    def change(model: EncoderDecoder) -> None:
        for weight in _blocks(model.encoder)[-1].feed_forward.parameters():
            weight.mul_(2)

    return f"the last block of the encoder changed: keys move in {sum(_moved(change))} of 3 blocks of the decoder"


@claim("001", "first-transformer", "In the diagram the linear layer and the softmax belong to a decoder layer.")
@corrected("They stand once, behind the last block; here the linear layer is the table of the embedding.")
def _read_out_in_layer() -> str:
    model = _model()
    inside = sum(model.decoder.lm_head is module for block in _blocks(model.decoder) for module in block.modules())
    wide = [name for name, weight in model.named_parameters(remove_duplicate=True) if 23 in weight.shape]
    return f"read-outs inside 3 blocks: {inside}, behind them 1; matrices as wide as the vocabulary: {len(wide)}"


@claim("002", "first-transformer")
@corrected("The block is fed vectors of tokens. It makes Q, K and V of them inside, by matrices of its own.")
@torch.no_grad()
def _encoder_fed_qkv() -> str:
    """The embeddings are turned into Q, K and V, and these are fed into the encoder's block."""
    model, entered = _model(), list[tuple[int, ...]]()
    model.encoder.blocks[0].register_forward_pre_hook(lambda block, given: entered.append(tuple(given[0].shape)))
    model.encode(_ids(5))
    matrices = [m.w_qkv for m in model.encoder.modules() if isinstance(m, MultiHeadAttention)]
    equal = sum(torch.equal(a, b) for a, b in combinations(matrices, 2))
    return f"block 1 is given {entered[0]}; 3 blocks hold {len(matrices)} matrices of Q, K, V; equal pairs: {equal}"


@claim("002", "first-transformer", "The encoder is repeated N times, and the decoder too.")
@depends("In shape. Each block has weights of its own.")
def _n_times() -> str:
    first, *others = (block.state_dict() for block in _blocks(_model().encoder))
    weights = [name for name in first if ".w_" in name]
    equal = sum(torch.equal(first[name], other[name]) for name in weights for other in others)
    return f"3 blocks, weight matrices of the others that equal one of the first: {equal} of {2 * len(weights)}"


@claim("002", "first-transformer", "What comes out of the N blocks of the encoder is passed to a decoder.")
@holds("To each of its blocks, as that block's keys and values.")
@torch.no_grad()
def _passed_to_the_decoder() -> str:
    model, target = _model(), _ids(4, 3)
    own, other = (model.encode(_ids(5, seed)).caches for seed in (1, 2))
    right = model.decoder(target, Memory(own))
    moved = [
        (model.decoder(target, Memory([*own[:n], other[n], *own[n + 1 :]])) - right).abs().max() > 1e-9
        for n in range(3)
    ]
    return f"one block is given another source: the logits move for {sum(moved)} of 3 blocks"
