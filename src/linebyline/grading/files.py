"""What is written of a grading: the same content gives the same bytes."""

import json
from pathlib import Path
from typing import Any

from clearformer.files import write_whole


def write_json(target: Path, content: Any) -> None:
    """Write what JSON can hold, with its keys in order, whole or not at all.

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
    write_whole(target, json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
