"""Claims on recurrent translators, and on why the Transformer took their place."""

from collections.abc import Callable
from functools import reduce

import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from clearformer.models import TransformerConfig, transformer
from clearformer.nn import FeedForward
from linebyline.claims.declare import claim, corrected, depends, difference, holds
from linebyline.recurrent import AttentiveTranslator, RecurrentTranslator

# What begins the names that PyTorch gives to operations on the way back.
PRODUCTS, SOFTMAXES = ("Addmm", "Mm", "Bmm"), ("Softmax", "ScaledDotProduct")
Make = Callable[[int, int, torch.Generator], nn.Module]


def _transformer(vocab_size: int, d_model: int, generator: torch.Generator) -> nn.Module:
    return transformer(TransformerConfig(vocab_size, 64, d_model, 4, 2, 4 * d_model), generator)


def _recurrent(vocab_size: int, d_model: int, generator: torch.Generator) -> nn.Module:
    return RecurrentTranslator(vocab_size, d_model, generator=generator)


def _attentive(vocab_size: int, d_model: int, generator: torch.Generator) -> AttentiveTranslator:
    return AttentiveTranslator(vocab_size, d_model, generator=generator)


def _longest_chain(output: Tensor, kinds: tuple[str, ...]) -> int:
    """Count the operations of some kinds that had to wait for one another, along the longest way to an output."""
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
    """The longest chain for a sentence of 5 words and for one of 10, source and target alike."""
    ids = torch.arange(10)[None]
    model = make(11, 8, torch.Generator().manual_seed(0))
    return " and ".join(str(_longest_chain(model(ids[:, :n], ids[:, :n]), kinds)) for n in (5, 10))


@claim(
    "001.recursive", "sec-before-the-transformer", "Before the Transformer recursive neural networks (RNN) were in use."
)
@corrected("Recurrent ones: a cell goes along the line of words. A recursive network goes along a tree.")
def _in_a_line() -> str:
    line = reduce(lambda before, _: before + 1, range(16), 0)
    level, tree = 16, 0
    while level > 1:
        level, tree = level // 2, tree + 1
    return f"16 words, steps that wait for one another: {line} along the line, {tree} along a tree of pairs"


def _operations(make: Make) -> str:
    """Count multiplications and additions of one pass over a sentence of 12 words, in millions."""
    ids, model = torch.arange(12)[None], make(1000, 96, torch.Generator().manual_seed(0))
    with FlopCounterMode(display=False) as counter:
        model(ids, ids)
    return f"{counter.get_total_flops() / 1e6:.0f}M"


@claim(
    "001.quality-and-cost",
    "sec-before-the-transformer",
    "Transformers outdid recurrent networks in quality of translation and cost of training.",
)
@depends("So the paper found on its two corpora. A step is not cheaper in operations; fewer have to wait.")
def _quality_and_cost() -> str:
    kinds = {"recurrent": _recurrent, "with attention": _attentive, "Transformer": _transformer}
    counts = ", ".join(f"{name} {_operations(make)}" for name, make in kinds.items())
    return f"operations for a sentence of 12 words, width 96, 1,000 words known: {counts}"


@claim(
    "002.rnn-gru-lstm",
    "sec-before-the-transformer",
    "Models improved from RNN to GRU to LSTM, with more and more complexity.",
)
@corrected("That is their order by size. In time the LSTM (1997) came first; the GRU (2014) is simpler.")
def _three_cells() -> str:
    cells = {"RNN": nn.RNNCell, "GRU": nn.GRUCell, "LSTM": nn.LSTMCell}
    sizes = {name: sum(weight.numel() for weight in cell(8, 8).parameters()) for name, cell in cells.items()}
    return "parameters of a cell of width 8: " + ", ".join(f"{name} {size}" for name, size in sizes.items())


@claim(
    "002.one-by-one",
    "sec-before-the-transformer",
    "Sequential models take in one word at a time, and the last unit waits for all before it.",
)
@holds("The chain grows with the sentence. That of a Transformer grows with its blocks alone.")
def _one_by_one() -> str:
    chains = f"recurrent {_chains(_recurrent, PRODUCTS)}, Transformer {_chains(_transformer, PRODUCTS)}"
    return f"matrix products in the longest chain, 5 and 10 words: {chains}"


@claim("002.bottleneck", "sec-before-the-transformer", "Each unit is a bottleneck to the flow of information.")
@holds(
    "What goes on from unit to unit is as large for a long sentence as for a short one. Attention goes around it, in "
    "recurrent networks too."
)
@torch.no_grad()
def _handed_on() -> str:
    model = _attentive(11, 8, torch.Generator().manual_seed(0))
    short, long = (model.encode(torch.arange(n)[None] % 11) for n in (5, 20))
    vector = f"{short.summary.numel()}, {long.summary.numel()}"
    states = f"{short.states.numel()}, {long.states.numel()}"
    return f"numbers that the decoder gets of 5 and of 20 words: as one vector {vector}; with attention {states}"


@claim(
    "002.scores-at-once",
    "sec-before-the-transformer",
    "Unlike in the earlier attention, all scores can be computed at the same time.",
)
@depends("Within a layer: there a query need not wait for the one before. Layers still wait for each other.")
def _scores_at_once() -> str:
    chains = f"recurrent {_chains(_attentive, SOFTMAXES)}, Transformer {_chains(_transformer, SOFTMAXES)}"
    return f"attentions in the longest chain, 5 and 10 words: {chains}"


@claim(
    "002.cnn-style",
    "sec-before-the-transformer",
    "The Transformer combines attention with processing in the style of a CNN.",
)
@corrected(
    "No layer slides a window over neighbours. The feed-forward layer is a convolution of width 1: it sees one word."
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
