"""A base model and the assistant that was made of it, side by side in the reader's browser."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from clearformer import functional as F
from clearformer.models import GPT2Config
from linebyline.assistant.world import ASSISTANT, END, SPECIAL, USER
from linebyline.pretrained import rotary_decoder
from linebyline.translation import Words

from .live import LiveModel, packed, quantized, weights_of

MIME_TYPE = "application/vnd.clearformer.live-assistant+json"
LONGEST = 24  # tokens that each model writes at most
# What a model reads before and after the question: one begins a text with it, the other is asked in the chat template.
TEMPLATES = {"base": ([END], []), "assistant": ([USER], [END, ASSISTANT])}


def live_assistant(
    base: Mapping[str, np.ndarray],
    assistant: Mapping[str, np.ndarray],
    words: Words,
    questions: Sequence[str],
    *,
    n_heads: int,
    context: int,
    description: str,
) -> LiveModel:
    """A base model that continues a reader's question, and beside it an assistant that answers it, run by the browser.

    The weights are those of two decoders with GPT-2's blocks and the positions of `F.rotary_encoding`, and are
    `quantized` for the page. Both models write the most likely token until the end token. The page begins with the
    first of the questions and what both models write after it.

    Raises:
        ValueError: The weights have other names than those of such a decoder, or a question has unknown words or is
            longer than the context.
    """
    n_layers = sum(name.endswith(".w_o") for name in base)
    sizes = GPT2Config(1, 1, 2, 1, n_layers, 1)  # names do not depend on the others
    form = "GPT-2's blocks without added positions"
    models = {
        name: weights_of(state, lambda: rotary_decoder(sizes), form)
        for name, state in (("base", base), ("assistant", assistant))
    }
    longest = context - LONGEST - max(len(before) + len(after) for before, after in TEMPLATES.values())
    for question in questions:
        if (length := len(words.encode(question.split()))) > longest:
            raise ValueError(f"{question!r} has {length} tokens, more than the {longest} that leave room for an answer")
    d_model = models["base"]["embedding.table"].shape[1]
    model = {
        "sizes": {"context": context, "d_model": d_model, "n_heads": n_heads, "n_layers": n_layers},
        "tokens": words.tokens,
        "special": len(SPECIAL),  # the first tokens, which a reader cannot type
        "limits": {"question": longest, "answer": LONGEST, "end": END},
        "templates": TEMPLATES,
        **{name: packed(arrays) for name, arrays in models.items()},
    }
    opening = {
        name: _opening(quantized(models[name]), words, questions[0], *template, n_heads=n_heads)
        for name, template in TEMPLATES.items()
    }
    page = {"description": description.strip(), "questions": list(questions)}
    return LiveModel(MIME_TYPE, page, {"model": model, "opening": opening})


def _opening(
    weights: Mapping[str, np.ndarray],
    words: Words,
    question: str,
    before: Sequence[int],
    after: Sequence[int],
    *,
    n_heads: int,
) -> list[list[Any]]:
    """The tokens that a model reads, and those that it writes with their probabilities, in float64 as in the page."""
    weights = {name: array.astype(np.float64) for name, array in weights.items()}
    read = [*before, *words.encode(question.split()), *after]
    opening: list[list[Any]] = [[words.tokens[i], None] for i in read]
    ids, caches = np.array(read), None
    while len(opening) < len(read) + LONGEST and (len(opening) == len(read) or ids[-1] != END):
        logits, caches = F.decoder(weights, ids, caches, n_heads=n_heads, rotary=F.rotary_encoding)
        probabilities = F.softmax(logits)  # (vocab_size,)
        ids = np.array([probabilities.argmax()])  # (1,)
        opening.append([words.tokens[ids[0]], float(probabilities[ids[0]])])
    return opening
