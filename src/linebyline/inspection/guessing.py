"""What comes next, what a text costs, and what each block makes of the guess."""

from collections.abc import Iterable
from typing import Any, cast

import torch
from jaxtyping import Float, Int
from torch import Tensor

from clearformer.models import Decoder, Encoder, EncoderDecoder
from clearformer.nn import Block

from .subject import Model, Subject


def likeliest(guesses: Float[Tensor, "T vocab_size"], n: int) -> tuple[Int[Tensor, "T n"], Float[Tensor, "T n"]]:
    """Return the tokens of the largest probabilities in each row, best first, and the probabilities.

    Example:
        >>> ids, p = likeliest(torch.tensor([[0.2, 0.5, 0.3]]).log(), 2)
        >>> ids.tolist(), p.round(decimals=4).tolist()
        ([[1, 2]], [[0.5, 0.30000001192092896]])
    """
    found = guesses.exp().topk(min(n, guesses.shape[-1]), dim=-1)
    return found.indices, found.values


def surprise(subject: Subject) -> Float[Tensor, " n"]:
    r"""Return :math:`-\ln p`, in nats, of the tokens at ``subject.asked``.

    Raises:
        ValueError: the model guesses no tokens, or none of these.
    """
    guesses, places = subject.guesses(), subject.asked
    if not len(places):
        raise ValueError(f"this {subject.kind} guesses none of the {len(subject.ids)} tokens: a longer text is needed")
    return -guesses[places - subject.ahead, subject.ids[places]]


def cut(model: Model, n_layers: int) -> Model:
    """Leave out the blocks behind the first few; embedding, last norm and read-out stay, and no weight is copied.

    Of an encoder-decoder the decoder is cut.

    Raises:
        ValueError: there are not as many.
    """
    if isinstance(model, EncoderDecoder):
        decoder = cut(model.decoder, n_layers)
        assert isinstance(decoder, Decoder)
        return EncoderDecoder(model.encoder, decoder).train(model.training)
    if not 0 <= n_layers <= len(model.blocks):
        raise ValueError(f"n_layers={n_layers} must lie between 0 and the model's {len(model.blocks)}")
    blocks = list(cast(Iterable[Block], model.blocks))[:n_layers]
    parts: Any = {"norm": model.norm, "position_bias": model.position_bias}
    if isinstance(model, Encoder):
        kept: Model = Encoder(model.embedding, blocks, head=model.head, **parts)
    else:
        kept = Decoder(model.embedding, blocks, lm_head=model.lm_head, **parts)
    return kept.train(model.training)


def logit_lens(subject: Subject) -> Float[Tensor, "n_states T vocab_size"]:
    r"""Return what the last norm and the read-out make of the states between the blocks.

    .. math::

        \ln \operatorname{softmax}\big(\operatorname{ReadOut}(\operatorname{Norm}(X_l))\big), \qquad l = 0 \dots L

    The first is that of the embeddings, the last is the guess of the whole model.

    Raises:
        ValueError: the model guesses no tokens.

    Source: nostalgebraist (2020).
    """
    depths = range(len(subject.stack.blocks) + 1)
    models = (cut(subject.model, n) for n in depths)
    return torch.stack([subject.of(model).guesses() for model in models])


def settled(lens: Float[Tensor, "n_states T vocab_size"]) -> Int[Tensor, " T"]:
    """Return, for each row, after how many blocks the last guess is the first choice, and stays it.

    Example:
        >>> lens = torch.eye(3)[torch.tensor([[0], [2], [1], [1]])]  # choices 0, 2, 1, 1 of one row
        >>> settled(lens).tolist()
        [2]
    """
    choices = lens.argmax(dim=-1)  # (n_states, T)
    differs = (choices != choices[-1]).flip(0)  # from the last state to the first
    stays = (~differs).cumprod(dim=0).sum(dim=0)  # states, counted from the last, before one differs
    return len(lens) - stays
