"""Files are written whole, with the permissions that the user wants."""

import os
from pathlib import Path

import pytest

from clearformer.files import write_whole


@pytest.mark.skipif(os.name != "posix", reason="permissions of Unix")
@pytest.mark.parametrize("umask", [0o022, 0o077, 0o027])
def test_the_umask_holds(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        write_whole(tmp_path / "grades.csv", "private")
    finally:
        os.umask(before)
    assert (tmp_path / "grades.csv").stat().st_mode & 0o777 == 0o666 & ~umask


def test_a_failure_leaves_the_old_file_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_whole(tmp_path / "a.txt", "old")

    def full_disk(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", full_disk)
    with pytest.raises(OSError, match="disk full") as caught:
        write_whole(tmp_path / "a.txt", "newer")
    assert caught.value.__notes__ == [f"{tmp_path / 'a.txt'} is as it was before these 5 bytes were to be written."]
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a.txt", "old")]
