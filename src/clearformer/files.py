"""Files that are complete or not there at all."""

import os
from pathlib import Path
from uuid import uuid4


def write_whole(target: Path, content: bytes | str) -> None:
    """Write a file under another name in the same folder, and rename it; the folder is created if it is missing.

    A reader sees the old file or the new one, never half of one. Its permissions are those of any new file, and text is
    written as UTF-8. If it cannot be written, an existing file stays as it was, which a note on the OSError says.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_whole(Path(folder, "a", "b.txt"), "whole")
        ...     [path.name for path in Path(folder, "a").iterdir()]
        ['b.txt']
    """
    data = content.encode() if isinstance(content, str) else content
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.parent / f"{uuid4().hex}.part"
    try:
        with open(temporary, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        error.add_note(f"{target} is as it was before these {len(data):,} bytes were to be written.")
        raise
