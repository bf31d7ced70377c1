"""The steps around a tokenizer's model, as a ``tokenizer.json`` names them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

Step = Mapping[str, Any]
"""One step as the file writes it: its ``type`` and its options."""

STEPS = ("normalizer", "pre_tokenizer", "post_processor", "decoder")


@dataclass(frozen=True)
class Steps:
    """What a file wants done before and after its model, in the file's own words; None is no step.

    Args:
        normalizer: changes the text before it is cut.
        pre_tokenizer: cuts the text into words.
        post_processor: puts special tokens around one text or two.
        decoder: makes text of tokens.
        added_tokens: the tokens that are cut out of a text before the model sees it.
    """

    normalizer: Step | None = None
    pre_tokenizer: Step | None = None
    post_processor: Step | None = None
    decoder: Step | None = None
    added_tokens: tuple[Step, ...] = field(default=())


def unsupported(kind: str, step: object) -> NoReturn:
    """Refuse a step by name.

    Raises:
        ValueError: always.

    Example:
        >>> unsupported("normalizer", {"type": "Nmt"})
        Traceback (most recent call last):
        ValueError: normalizer {'type': 'Nmt'} is not supported
    """
    raise ValueError(f"{kind} {step!r} is not supported")


def in_turn(functions: Iterable[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    """One function that applies several, first to last.

    Example:
        >>> in_turn([str.strip, str.upper])(" a ")
        'A'
    """
    steps = tuple(functions)

    def composed(value: Any) -> Any:
        for step in steps:
            value = step(value)
        return value

    return composed
