"""The right class for a ``tokenizer.json``."""

import os

from clearformer.tokenizers.bpe import BPETokenizer
from clearformer.tokenizers.bpe_json import is_byte_level
from clearformer.tokenizers.character_bpe import CharacterBPETokenizer
from clearformer.tokenizers.characters import CharacterTokenizer
from clearformer.tokenizers.hf_json import read_json
from clearformer.tokenizers.unigram import UnigramTokenizer
from clearformer.tokenizers.wordpiece import WordPieceTokenizer

AnyTokenizer = BPETokenizer | CharacterBPETokenizer | CharacterTokenizer | UnigramTokenizer | WordPieceTokenizer

_CLASSES: dict[str, type[AnyTokenizer]] = {
    "BPE": CharacterBPETokenizer,
    "Unigram": UnigramTokenizer,
    "WordLevel": CharacterTokenizer,
    "WordPiece": WordPieceTokenizer,
}


def load(path: str | os.PathLike[str]) -> AnyTokenizer:
    """Read a ``tokenizer.json``: BERT's, RoBERTa's, GPT-2's, Llama's, T5's, ours.

    Args:
        path: where the file is.

    Returns:
        A tokenizer of the class for the file's model; BPE is on bytes or on characters, as its steps say.

    Raises:
        ValueError: not a tokenizer file, or it asks for a model or a step that is not supported (named in the
            message).

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     WordPieceTokenizer.train("ice cream", 20).save(f"{folder}/tokenizer.json")
        ...     load(f"{folder}/tokenizer.json")
        WordPieceTokenizer(vocab_size=18)
    """
    model, steps = read_json(path)
    if model["type"] == "BPE" and is_byte_level(steps):
        return BPETokenizer.load(path)
    if model["type"] not in _CLASSES:
        raise ValueError(f"{path}: model {model['type']!r} is not supported")
    return _CLASSES[model["type"]].load(path)
