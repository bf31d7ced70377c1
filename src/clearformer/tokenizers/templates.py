"""Templates: the special tokens around one text or two, as ``[CLS] A [SEP] B [SEP]``."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from clearformer.tokenizers.steps import Step, unsupported

Slot = tuple[str | int, int]
"""A place of a template: ``"A"``, ``"B"`` or the id of a special token, and the segment it belongs to."""


@dataclass(frozen=True)
class Template:
    """Where special tokens go.

    Args:
        single: the places for one text.
        pair: the places for two.

    Example:
        >>> template = Template(((101, 0), ("A", 0), (102, 0)), (("A", 0), (102, 0), ("B", 1)))
        >>> template.fill([7, 8])
        ([101, 7, 8, 102], [0, 0, 0, 0])
        >>> template.fill([7], [8])
        ([7, 102, 8], [0, 0, 1])
        >>> template.bare.fill([7], [8])
        ([7, 8], [0, 1])
    """

    single: tuple[Slot, ...] = (("A", 0),)
    pair: tuple[Slot, ...] = (("A", 0), ("B", 1))

    @property
    def bare(self) -> "Template":
        """The same without special tokens."""
        single = tuple(slot for slot in self.single if isinstance(slot[0], str))
        pair = tuple(slot for slot in self.pair if isinstance(slot[0], str))
        return Template(single, pair)

    def fill(self, first: Sequence[int], second: Sequence[int] | None = None) -> tuple[list[int], list[int]]:
        """The ids with special tokens in their places, and the segment of each."""
        texts = {"A": first, "B": () if second is None else second}
        ids: list[int] = []
        segments: list[int] = []
        for what, segment in self.single if second is None else self.pair:
            new = texts[what] if isinstance(what, str) else (what,)
            ids += new
            segments += [segment] * len(new)
        return ids, segments


def template(step: Step | None) -> Template:
    """The template that a file's ``post_processor`` describes.

    ``ByteLevel`` there touches offsets only, which we do not give.

    Raises:
        ValueError: an unsupported step, or a template without a place for a text, named in the message.

    Source: Devlin et al. (2019) for BERT's, Liu et al. (2019) for RoBERTa's.

    Example:
        >>> template({"type": "BertProcessing", "cls": ["[CLS]", 101], "sep": ["[SEP]", 102]}).fill([7])
        ([101, 7, 102], [0, 0, 0])
    """
    match step:
        case None | {"type": "ByteLevel"}:
            return Template()
        case {"type": "Sequence", "processors": [*steps]}:
            templates = [each for each in steps if each.get("type") != "ByteLevel"]
            if len(templates) <= 1:
                return template(templates[0] if templates else None)
        case {"type": "BertProcessing", "cls": [_, int(cls)], "sep": [_, int(sep)]}:
            single: tuple[Slot, ...] = ((cls, 0), ("A", 0), (sep, 0))
            return Template(single, (*single, ("B", 1), (sep, 1)))
        case {"type": "RobertaProcessing", "cls": [_, int(cls)], "sep": [_, int(sep)]}:
            single = ((cls, 0), ("A", 0), (sep, 0))
            return Template(single, (*single, (sep, 0), ("B", 0), (sep, 0)))
        case {"type": "TemplateProcessing", "single": [*single_slots], "pair": [*pair_slots]}:
            ids = {name: token["ids"] for name, token in step.get("special_tokens", {}).items()}
            return Template(_slots(single_slots, ids, "A"), _slots(pair_slots, ids, "AB"))
    return unsupported("post_processor", step)


def _slots(written: Sequence[Any], ids: dict[str, list[int]], texts: str) -> tuple[Slot, ...]:
    slots: list[Slot] = []
    for place in written:
        match place:
            case {"Sequence": {"id": "A" | "B" as text, "type_id": int(segment)}} if text in texts:
                slots.append((text, segment))
            case {"SpecialToken": {"id": str(name), "type_id": int(segment)}} if name in ids:
                slots += [(i, segment) for i in ids[name]]
            case _:
                unsupported("post_processor's place", place)
    if any(sum(slot[0] == text for slot in slots) != 1 for text in texts):
        raise ValueError(f"post_processor has the places {list(written)!r}, expected each of {list(texts)} once")
    return tuple(slots)
