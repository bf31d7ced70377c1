"""A trained masked language model that runs in the reader's browser: its weights as bytes, its pieces as a list."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch

from clearformer.models import BertConfig
from clearformer.tokenizers import WordPieceTokenizer
from clearformer.tokenizers.pre_tokenization import words_and_punctuation
from linebyline.masked_language_model import SPECIAL, encoder

from ..live import LiveModel, packed, quantized, require_names
from .opening import opening

MIME_TYPE = "application/vnd.clearformer.live-fill-in+json"


def live_fill_in(
    state: Mapping[str, np.ndarray],
    tokenizer: WordPieceTokenizer,
    config: BertConfig,
    examples: Mapping[str, Sequence[str]],
    *,
    description: str,
) -> LiveModel:
    """Let the reader hide words of a sentence, and see what a model puts there, computed by the reader's own browser.

    The weights travel as whole numbers of one byte with one scale a row; ``quantized`` gives what they stand for.

    Args:
        state: The weights of a ``course.masked_language_model.encoder``, by its names. Tensors on the CPU will do.
        tokenizer: Its tokenizer, with the special tokens of that model.
        config: Its sizes.
        examples: Sentences to begin with, and of each the words that are hidden at first; of a word that stands
            there twice it is the first. The first sentence stands there at the start, with what the model guesses.
        description: What the model is, in words.

    Raises:
        ValueError: the weights are not those of such a model, the tokenizer does not fit them, there is no
            example, or one that is too long or does not hold the words to be hidden.

    Example:
        >>> ids = {name: i for i, name in enumerate(SPECIAL)}
        >>> tokenizer, config = WordPieceTokenizer({"Dan": 5, "sings": 6}, ids), BertConfig(7, 4, 6, 2, 1, 5)
        >>> state = encoder(config, torch.Generator().manual_seed(0)).state_dict()
        >>> live_fill_in(state, tokenizer, config, {"Dan sings": ["sings"]}, description="A toy.")
        A toy. It runs in the book's page.
    """
    arrays = {name: np.asarray(array, dtype=np.float32) for name, array in state.items()}
    _require(arrays, config)
    tokens = _tokens(tokenizer, config.vocab_size)
    if not description.strip():
        raise ValueError("a live fill-in needs a description: it is read where the model cannot run")
    if not examples:
        raise ValueError("0 examples: at least one is needed")
    read = [_example(tokenizer, text, words, config.context) for text, words in examples.items()]
    sizes = {
        "context": config.context,
        "d_model": config.d_model,
        "eps": config.eps,
        "n_heads": config.n_heads,
        "n_layers": config.n_layers,
    }
    words, hidden = read[0]
    begun = opening(quantized(arrays), config, words, hidden, tokens)
    page = {
        "description": description.strip(),
        "examples": [{"text": text, "hidden": hidden} for text, (_, hidden) in zip(examples, read, strict=True)],
    }
    return LiveModel(MIME_TYPE, page, {"model": {"sizes": sizes, "tokens": tokens, **packed(arrays)}, "opening": begun})


def _require(arrays: Mapping[str, np.ndarray], config: BertConfig) -> None:
    """Refuse weights that the page could not compute with."""
    with torch.device("meta"):  # shapes only
        expected = encoder(config).state_dict()
    require_names(expected, arrays, "a BERT of this depth that guesses hidden tokens")
    for name, tensor in expected.items():
        if arrays[name].shape != tensor.shape:
            raise ValueError(f"{name} has shape {arrays[name].shape}, and its config asks for {tuple(tensor.shape)}")
    if config.activation != "gelu":
        raise ValueError(f"the page computes the exact GELU, not {config.activation}")


def _tokens(tokenizer: WordPieceTokenizer, vocab_size: int) -> list[str]:
    """What each id spells."""
    special = sorted(tokenizer.special_tokens, key=tokenizer.special_tokens.__getitem__)
    ids = tokenizer.vocab | tokenizer.special_tokens
    if special != list(SPECIAL) or sorted(ids.values()) != list(range(vocab_size)):
        fit = f"do not fit a model of {vocab_size} that reads {list(SPECIAL)}"
        raise ValueError(f"{len(ids)} tokens, of which {special} are special, {fit}")
    return sorted(ids, key=ids.__getitem__)


def _example(
    tokenizer: WordPieceTokenizer, text: str, hidden: Sequence[str], context: int
) -> tuple[list[list[int]], list[int]]:
    """The pieces of each word of a sentence, and the places of the words to be hidden."""
    if "[MASK]" in text:
        raise ValueError(f"{text!r} holds a [MASK]: name the word that is hidden")
    words = words_and_punctuation(text)
    missing = sorted(set(hidden) - set(words))
    if missing or not hidden:
        raise ValueError(f"{text!r} has no word {missing[0]!r}" if missing else f"no word of {text!r} is hidden")
    pieces = [tokenizer.encode(word) for word in words]
    length = sum(map(len, pieces)) + 2
    if length > context:
        raise ValueError(f"{text!r} has {length} tokens, [CLS] and [SEP] among them, more than context={context}")
    return pieces, sorted({words.index(word) for word in hidden})
