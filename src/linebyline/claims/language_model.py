"""Claims on decoders and on what a language model predicts."""

import numpy as np
import torch

from clearformer import functional as F
from clearformer.models import Decoder, GPT2Config, gpt2
from clearformer.nn import Block, MultiHeadAttention
from linebyline.claims.declare import claim, corrected, depends, holds

CONFIG = GPT2Config(vocab_size=23, context=16, d_model=12, n_heads=3, n_layers=2, d_ff=48)


def _decoder() -> Decoder:
    """A decoder with weights large enough to matter."""
    model = gpt2(CONFIG, torch.Generator().manual_seed(0)).double()
    for parameter in model.parameters():
        parameter.data *= 3
    return model.eval()


def _ids(n: int = 12) -> torch.Tensor:
    return torch.randint(23, (n,), generator=torch.Generator().manual_seed(1))


def _changed(ids: torch.Tensor, place: int) -> torch.Tensor:
    other = ids.clone()
    other[place] = (ids[place] + 1) % 23
    return other


@claim("000", "factorization", "A text goes in, a prediction of its next token comes out.")
@holds("And one for every prefix of it, in the same pass. Training uses them all.")
def _next_token() -> str:
    with torch.no_grad():
        logits = _decoder()(_ids(7))
    sums = logits.softmax(dim=-1).sum(dim=-1)
    return f"7 tokens in, {len(logits)} distributions over {logits.shape[-1]} tokens out, sums {float(sums.mean()):.6f}"


@torch.no_grad()
def _moved(place: int) -> torch.Tensor:
    """Which of the 12 predictions change with the token at a position."""
    model, ids = _decoder(), _ids()
    moved: torch.Tensor = ((model(_changed(ids, place)) - model(ids)).abs() > 1e-9).any(dim=-1)  # (12,)
    return moved


@claim("000", "factorization", "Language modelling wants the next token from the tokens before it alone.")
@holds("The causal mask sees to it, in every layer.")
def _only_before() -> str:
    early = sum(int(_moved(place)[:place].sum()) for place in range(12))
    return f"predictions made before the changed token that move: {early} of 66"


@claim("001", "decoder", "Decoders are for generating text, such as translation and summaries.")
@depends(
    "A decoder alone can, with the source as its prompt, read in one direction. The first Transformer used an "
    "encoder beside it."
)
@torch.no_grad()
def _decoders_translate() -> str:
    """Whether the vector of the first word depends on the last word, in an encoder and in a decoder."""
    model, source = _decoder(), _ids(5)
    x, y = (model.embedding(ids) for ids in (source, _changed(source, 4)))
    unmasked, causal = None, torch.ones(5, 5, dtype=torch.bool).tril()
    answers = []
    for mask in (unmasked, causal):
        first, second = x, y
        for block in model.blocks:
            assert isinstance(block, Block)
            first, second = block(first, mask=mask), block(second, mask=mask)
        answers.append(bool(((first - second)[0].abs() > 1e-9).any()))
    return f"vector of the first source word moves with the last: encoder {answers[0]}, decoder alone {answers[1]}"


@claim("001", "cached-steps")
@depends("By a token. A prompt may take the place of the start token; with a cache only the new token is read.")
@torch.no_grad()
def _one_at_a_time() -> str:
    """At inference the decoder starts from the start token, and its input grows by a word at each step."""
    model, ids = _decoder(), torch.tensor([0])
    lengths = []
    for _ in range(5):
        lengths.append(len(ids))
        ids = torch.cat([ids, model(ids)[-1:].argmax(dim=-1)])
    return f"lengths of the input, from the start token on: {', '.join(map(str, lengths))}"


@claim("002", "next-token", "The goal of the decoder's block is to predict the next word.")
@depends("That of the whole stack and its read-out, and a token. A block maps vectors to vectors.")
def _block_predicts() -> str:
    with torch.no_grad():
        x = _decoder().hidden_states(_ids(7))
        logits = _decoder().lm_head(x)
    return f"a block gives {tuple(x.shape)}, the read-out {tuple(logits.shape)}"


@claim("004", "decoder")
@corrected("GPT has no encoder to ask. Its blocks are masked attention and a feed-forward layer.")
def _empty_decoder() -> str:
    """The section on the decoder is empty; its hidden draft gives GPT models a layer of cross-attention."""
    model = _decoder()
    block = model.blocks[0]
    attention = sum(isinstance(module, MultiHeadAttention) for module in block.modules())
    names = ", ".join(name for name, _ in block.named_children())
    return f"in a block of the GPT shape: {names}; attentions: {attention}"


@claim("004", "factorization")
@holds("The next chapters are about that decision.")
def _estimates_probabilities() -> str:
    """The model only estimates a probability for each token; which one to emit is decided elsewhere."""
    logits = np.log([0.5, 0.3, 0.2])
    rng = np.random.default_rng(0)
    drawn = {int(rng.choice(3, p=F.softmax(logits))) for _ in range(50)}
    return f"one distribution: the most probable token is always {logits.argmax()}, 50 draws gave {len(drawn)} tokens"


@claim("004", "next-token", "Autoregressive models are trained to predict the most probable next token.")
@corrected("They are trained on the frequencies of all tokens. Taking the most probable is a way to decode.")
def _most_probable() -> str:
    """Train three logits on a token that is 0 in 7 of 10 cases and 1 in the others."""
    counts = torch.tensor([7.0, 3.0, 0.0])
    logits = torch.zeros(3, requires_grad=True)
    for _ in range(2000):
        (gradient,) = torch.autograd.grad(-(counts / 10 * logits.log_softmax(dim=-1)).sum(), logits)
        logits.data -= gradient
    learned = ", ".join(f"{p:.2f}" for p in logits.softmax(dim=-1).tolist())
    return f"data 0.70, 0.30, 0.00; probabilities that least loss gives: {learned}"
