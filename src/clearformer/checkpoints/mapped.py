"""A file that is read as its bytes are used."""

import mmap
from pathlib import Path

import torch
from torch import Tensor


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

    def window(self, start: int, nbytes: int, dtype: torch.dtype = torch.uint8) -> Tensor:
        """Give numbers, (nbytes / size of one,); who writes into them does not write into the file."""
        if not nbytes:
            return torch.empty(0, dtype=dtype)
        if self._map is None:
            with open(self.path, "rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        window = torch.frombuffer(self._map, dtype=torch.uint8, count=nbytes, offset=start)
        # Numbers must begin at multiples of their size.
        return (window.clone() if start % dtype.itemsize else window).view(dtype)

    def release(self, start: int, nbytes: int) -> None:
        """Give the memory of bytes back that were read, and to which no window is left."""
        advice = getattr(mmap, "MADV_DONTNEED", None)
        first = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE  # pages that are shared with a neighbour stay
        length = (start + nbytes) // mmap.PAGESIZE * mmap.PAGESIZE - first
        if self._map is not None and advice is not None and length > 0:
            self._map.madvise(advice, first, length)
