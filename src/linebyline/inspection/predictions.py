"""The likeliest tokens, the surprise at a text, and the prediction after each block (the logit lens)."""

from collections.abc import Iterable
from typing import Any, cast

import torch
from jaxtyping import Float, Int
from torch import Tensor

from clearformer.models import Decoder, Encoder, EncoderDecoder
from clearformer.nn import Block

from .subject import Model, Subject


def top_tokens(log_p: Float[Tensor, "T vocab_size"], n: int) -> tuple[Int[Tensor, "T n"], Float[Tensor, "T n"]]:
    """Return the ``n`` most probable tokens of each row, best first, and their probabilities.

    Example:
        >>> ids, p = top_tokens(torch.tensor([[0.2, 0.5, 0.3]]).log(), 2)
        >>> ids.tolist(), p.round(decimals=4).tolist()
        ([[1, 2]], [[0.5, 0.30000001192092896]])
    """
    p, ids = log_p.exp().topk(min(n, log_p.shape[-1]), dim=-1)
    return ids, p


def surprise(subject: Subject) -> Float[Tensor, " n"]:
    r"""Return :math:`-\ln p`, in nats, of the tokens at ``subject.target_positions``.

    Raises:
        ValueError: the model predicts no tokens, or none of these.
    """
    log_p, targets = subject.log_probabilities(), subject.target_positions
    if not len(targets):
        raise ValueError(f"this {subject.kind} predicts none of the {len(subject.ids)} tokens: a longer text is needed")
    return -log_p[targets - subject.shift, subject.ids[targets]]


def truncated(model: Model, n_layers: int) -> Model:
    """Return the model with its first ``n_layers`` blocks only; it shares its weights with the given one.

    Embedding, final norm and output layer stay. Of an encoder-decoder, the decoder is truncated.

    Raises:
        ValueError: the model has fewer blocks.
    """
    if isinstance(model, EncoderDecoder):
        decoder = truncated(model.decoder, n_layers)
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
    r"""Return the log-probabilities that the final norm and the output layer compute from each state between blocks.

    .. math::

        \ln \operatorname{softmax}\big(\operatorname{ReadOut}(\operatorname{Norm}(X_l))\big), \qquad l = 0 \dots L

    The first are those of the embeddings, the last are the prediction of the whole model.

    Raises:
        ValueError: the model predicts no tokens.

    Source: nostalgebraist (2020).
    """
    depths = range(len(subject.stack.blocks) + 1)
    subjects = (subject.with_model(truncated(subject.model, n)) for n in depths)
    return torch.stack([each.log_probabilities() for each in subjects])
