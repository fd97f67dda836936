"""Files beside a network file: what is read, and what is said of those that can't be."""

from pathlib import Path

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.graph import read_beside, text_beside


def test_a_path_starts_at_the_folder_or_the_root(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "net.txt").write_bytes(b"a b\r\n")
    assert read_beside(tmp_path, "inner/net.txt", "graph") == b"a b\r\n"
    absolute = str(tmp_path / "inner" / "net.txt")
    assert read_beside(tmp_path / "elsewhere", absolute, "graph") == b"a b\r\n"


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "net.txt").write_text("é b\n", encoding="utf-8-sig")
    assert text_beside(tmp_path, "net.txt", "graph") == "é b\n"
    assert read_beside(tmp_path, "net.txt", "graph").startswith(b"\xef\xbb\xbf")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "none.txt",
            r"^network: tables none.txt does not exist; "
            r"give its path from the network file's folder$",
        ),
        ("folder", r"^network: tables folder cannot be read: Is a directory$"),
        ("nu\0l", r"^network: tables nu\0l cannot be read: embedded null byte$"),
        ("latin.txt", r"^network: tables latin.txt: not a text file in UTF-8$"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_key(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "latin.txt").write_text("é b\n", encoding="latin-1")
    with pytest.raises(SpecError, match=message):
        text_beside(tmp_path, name, "tables")
