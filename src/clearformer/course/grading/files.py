"""Files that are there whole or not at all."""

import json
import os
from pathlib import Path
from typing import Any


def write_text(target: Path, text: str) -> None:
    """Write a file beside its place and move it there; folders are made.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     write_text(Path(folder, "a", "b.txt"), "whole")
        ...     [path.name for path in Path(folder, "a").iterdir()]
        ['b.txt']
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        unfinished.write_text(text, encoding="utf-8", newline="")
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)


def write_json(target: Path, content: Any) -> None:
    """Write what JSON can hold, with its keys in order.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     write_json(Path(folder, "a.json"), {"b": 1, "a": 2})
        ...     print(Path(folder, "a.json").read_text().strip())
        {
         "a": 2,
         "b": 1
        }
    """
    write_text(target, json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
