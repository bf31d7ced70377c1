"""Text to ids and back: byte-pair encoding, WordPiece, Unigram, characters.

All have the same verbs: ``train``, ``encode``, ``decode``, ``save``, ``load``. None of them turns plain text
into the id of a special token unless ``encode`` is asked to, except the unknown token, and none of their ``decode``
raises for an id that is not a token. Each class loads the files that it saves; `load` reads a published
``tokenizer.json`` of any kind with Hugging Face `tokenizers`.
"""

from clearformer.tokenizers.base import Tokenizer
from clearformer.tokenizers.bpe import BPETokenizer
from clearformer.tokenizers.character_bpe import CharacterBPETokenizer
from clearformer.tokenizers.characters import CharacterTokenizer
from clearformer.tokenizers.pre_tokenization import GPT2_PATTERN
from clearformer.tokenizers.published import PublishedTokenizer, load
from clearformer.tokenizers.unigram import UnigramTokenizer
from clearformer.tokenizers.wordpiece import WordPieceTokenizer

__all__ = [
    "GPT2_PATTERN",
    "BPETokenizer",
    "CharacterBPETokenizer",
    "CharacterTokenizer",
    "PublishedTokenizer",
    "Tokenizer",
    "UnigramTokenizer",
    "WordPieceTokenizer",
    "load",
]
