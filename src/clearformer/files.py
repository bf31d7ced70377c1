"""Files that are there whole or not at all."""

import os
import tempfile
from pathlib import Path


def write_whole(target: Path, content: bytes | str) -> None:
    """Write a file beside its place and move it there; its folder is made if it is missing.

    Args:
        target: The file.
        content: What shall stand in it; text is written as UTF-8.

    Raises:
        OSError: it cannot be written; what stood there stands there still, which a note on the error says.

    Example:
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_whole(Path(folder, "a", "b.txt"), "whole")
        ...     [path.name for path in Path(folder, "a").iterdir()]
        ['b.txt']
    """
    data = content.encode() if isinstance(content, str) else content
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=target.parent, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)  # a shared folder serves others, too
        os.replace(temporary, target)
    except BaseException as error:
        os.unlink(temporary)
        error.add_note(f"{target} is as it was before these {len(data):,} bytes were to be written.")
        raise
