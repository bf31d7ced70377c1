"""Text to ids and back: byte-pair encoding, WordPiece, Unigram, characters.

All have the same verbs: ``train``, ``encode``, ``decode``, ``save``, ``load``. None of them turns plain text
into the id of a special token unless ``encode`` is told to (the unknown token apart), and none of their
``decode`` raises for an id that is no token. `load` reads a published ``tokenizer.json`` with the class it
needs. The package needs the standard library and `regex`; training Unigram needs NumPy and SciPy as well.
"""

from clearformer.tokenizers.bpe import BPETokenizer
from clearformer.tokenizers.character_bpe import CharacterBPETokenizer
from clearformer.tokenizers.characters import CharacterTokenizer
from clearformer.tokenizers.loading import AnyTokenizer, load
from clearformer.tokenizers.pre_tokenization import GPT2_PATTERN
from clearformer.tokenizers.unigram import UnigramTokenizer
from clearformer.tokenizers.wordpiece import WordPieceTokenizer

__all__ = [
    "GPT2_PATTERN",
    "AnyTokenizer",
    "BPETokenizer",
    "CharacterBPETokenizer",
    "CharacterTokenizer",
    "UnigramTokenizer",
    "WordPieceTokenizer",
    "load",
]
