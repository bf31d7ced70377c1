"""What a page computes, told as one text: Playwright looks at each number that it hands over, and at each twice."""

import json
from typing import Any

from playwright.sync_api import ElementHandle, JSHandle, Locator, Page

# JSON has no number that is not finite, and leaves out what is not defined.
TELL = """(value) => JSON.stringify(value ?? null, (_, part) =>
  part === undefined ? null : typeof part !== 'number' || Number.isFinite(part) ? part : {number: String(part)})"""


def told(where: Page | Locator | JSHandle | ElementHandle, function: str, arg: Any = None) -> Any:
    """The same as `where.evaluate(function, arg)`, for an argument that JSON can hold: sooner where there is much."""
    if isinstance(where, Page):
        code = f"(arg) => ({TELL})(({function})(JSON.parse(arg)))"
    else:
        code = f"(it, arg) => ({TELL})(({function})(it, JSON.parse(arg)))"
    return json.loads(where.evaluate(code, json.dumps(arg)), object_hook=_number)


def _number(read: dict[str, Any]) -> Any:
    return float(read["number"]) if read.keys() == {"number"} else read
