"""A number printed after ≈ depends on the machine: the comparison reads it, and asks that it be near the record's."""

import copy
import re
from collections.abc import Callable
from typing import Any

import nbformat

NUMBER = re.compile(r"≈\s*([-+]?\d[\d,]*(?:\.(\d+))?(?:e([-+]?\d+))?)")
SHARE = 0.1  # how far a number may lie from the record's, as a share of the larger one
Outputs = list[nbformat.NotebookNode]


def near(text: str, recorded: str) -> bool:
    """Whether two texts agree in all but the numbers after ≈, and those by a tenth or a unit of the last digit."""
    if NUMBER.sub("≈", text) != NUMBER.sub("≈", recorded):
        return False
    pairs = zip(NUMBER.finditer(text), NUMBER.finditer(recorded), strict=True)
    return all(abs(_value(a) - _value(b)) <= _room(a, b) for a, b in pairs)


def as_seen(outputs: Outputs, recorded: Outputs) -> Outputs:
    """Give a copy of the recorded outputs in which a text that is near the one seen is the one seen."""
    result = copy.deepcopy(recorded)
    for seen, kept in zip(outputs, result, strict=False):
        places = [(seen, kept, "text"), (seen.get("data", {}), kept.get("data", {}), "text/plain")]
        for new, old, key in places:
            if key in new and key in old and near(new[key], old[key]):
                old[key] = new[key]
    return result


def compared(compare: Callable[..., bool]) -> Callable[..., bool]:
    """Make nbval's comparison of a cell's outputs read the numbers after ≈."""

    def read(outputs: Outputs, recorded: Outputs, *rest: Any) -> bool:
        return compare(outputs, as_seen(outputs, recorded), *rest)

    return read


def _value(match: re.Match[str]) -> float:
    return float(match[1].replace(",", ""))


def _room(a: re.Match[str], b: re.Match[str]) -> float:
    units = (10.0 ** (int(match[3] or 0) - len(match[2] or "")) for match in (a, b))
    return max(SHARE * max(abs(_value(a)), abs(_value(b))), 1.001 * max(units))
