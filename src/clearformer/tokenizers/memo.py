"""A bounded memory for a function of one string: text repeats its words, so their ids are worth keeping."""

from collections.abc import Callable

_SIZE = 1 << 18
_LONGEST = 128


class Memo(dict[str, tuple[int, ...]]):
    """A dictionary from word to ids that works out what it does not hold.

    It is emptied when it holds ``size`` words, and words of more than 128 characters are not kept, which
    bounds its memory.

    Args:
        function: the ids of one word.
        size: number of words to keep.

    Example:
        >>> memo = Memo(lambda word: tuple(map(ord, word)))
        >>> memo["ab"], len(memo)
        ((97, 98), 1)
    """

    def __init__(self, function: Callable[[str], tuple[int, ...]], *, size: int = _SIZE) -> None:
        """Start empty."""
        super().__init__()
        self._function = function
        self._size = size

    def __missing__(self, word: str) -> tuple[int, ...]:
        """Work out a word met for the first time."""
        result = self._function(word)
        if len(word) <= _LONGEST:
            if len(self) >= self._size:
                self.clear()
            self[word] = result
        return result
