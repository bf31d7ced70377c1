"""Text to ids and back: byte-pair encoding, WordPiece, characters.

All three have the same verbs: ``train``, ``encode``, ``decode``, ``save``, ``load``. None of them turns plain
text into the id of a special token unless ``encode`` is told to (WordPiece's ``[UNK]`` apart), and none of
their ``decode`` raises for an id that is no token. The package needs the standard library and `regex` only.
"""

from clearformer.tokenizers.bpe import BPETokenizer
from clearformer.tokenizers.characters import CharacterTokenizer
from clearformer.tokenizers.pre_tokenization import GPT2_PATTERN
from clearformer.tokenizers.wordpiece import WordPieceTokenizer

__all__ = ["GPT2_PATTERN", "BPETokenizer", "CharacterTokenizer", "WordPieceTokenizer"]
