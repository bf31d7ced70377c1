"""Byte-pair encoding in ten lines: the oracle the fast trainer must equal, and the peer it must outrun."""

from collections import Counter
from operator import add

from clearformer.tokenizers.byte_alphabet import BYTES_IN_ORDER
from clearformer.tokenizers.pre_tokenization import GPT2_PATTERN, splitter


def ten_line_bpe(text: str, vocab_size: int) -> list[tuple[bytes, bytes]]:
    """The merges, found by counting everything again after each one. ``chr(i)`` stands for token number i."""
    tokens = [bytes([byte]) for byte in BYTES_IN_ORDER]
    pieces = splitter(GPT2_PATTERN)(text)
    words = ["".join(chr(BYTES_IN_ORDER.index(byte)) for byte in piece.encode()) for piece in pieces]
    merges = []
    while len(tokens) < vocab_size:
        counts = Counter(pair for word in words for pair in map(add, word, word[1:]))
        if not counts:
            break
        best = min(counts, key=lambda pair: (-counts[pair], pair))
        words = [word.replace(best, chr(len(tokens))) for word in words]
        merges.append((tokens[ord(best[0])], tokens[ord(best[1])]))
        tokens.append(merges[-1][0] + merges[-1][1])
    return merges
