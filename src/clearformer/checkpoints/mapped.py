"""A file that is read as its bytes are used."""

import mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clearformer.checkpoints.late import Late

if TYPE_CHECKING:
    import torch
    from torch import Tensor
else:
    torch, Tensor = Late("torch"), Any


class MappedFile:
    """Windows into a file: bytes come from the disk as they are used.

    Args:
        path: The file.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = Path(f"{folder}/a").write_bytes(b"abc")
        ...     MappedFile(Path(f"{folder}/a")).window(1, 2).tolist()
        [98, 99]
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._map: mmap.mmap | None = None

    def window(self, start: int, nbytes: int, dtype: str = "uint8") -> Tensor:
        """Give numbers of a type of PyTorch's, (nbytes / size of one,); writing into them leaves the file as it is."""
        if not nbytes:
            return torch.empty(0, dtype=getattr(torch, dtype))
        if self._map is None:
            with open(self.path, "rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        window = torch.frombuffer(self._map, dtype=torch.uint8, count=nbytes, offset=start)
        kind: torch.dtype = getattr(torch, dtype)
        # Numbers must begin at multiples of their size.
        return (window.clone() if start % kind.itemsize else window).view(kind)

    def release(self, start: int, nbytes: int) -> None:
        """Give the memory of bytes back that were read, and to which no window is left."""
        advice = getattr(mmap, "MADV_DONTNEED", None)
        first = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE  # pages that are shared with a neighbour stay
        length = (start + nbytes) // mmap.PAGESIZE * mmap.PAGESIZE - first
        if self._map is not None and advice is not None and length > 0:
            self._map.madvise(advice, first, length)
