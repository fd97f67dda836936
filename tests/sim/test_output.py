"""Files are written all or not at all, and only inside their folder."""

import os
from pathlib import Path

import pytest

from syncfabric.models.errors import OutputError
from syncfabric.models.files import write_whole
from syncfabric.sim.output import check_file, check_folder, write_file, write_folder


def test_a_set_of_files_and_the_folders_above_it(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    written = write_folder(folder, {"x.v": "module", "y.png": b"\x89"})
    assert written == [folder / "x.v", folder / "y.png"]
    assert (folder / "x.v").read_text() == "module"
    assert sorted(path.name for path in folder.iterdir()) == ["x.v", "y.png"]


def test_files_are_replaced_and_links_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("mine")
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "x.v").symlink_to(outside)
    write_folder(folder, {"x.v": "new"})
    assert outside.read_text() == "mine"
    assert (folder / "x.v").read_text() == "new"


@pytest.mark.parametrize("linked", [False, True])
def test_a_pipe_or_device_is_not_replaced(tmp_path: Path, linked: bool) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    path = tmp_path / ("link" if linked else "pipe")
    message = r"cannot be written: it is a device or pipe, not a file; choose another place$"
    for write in (check_file, lambda path: write_file(path, "")):
        with pytest.raises(OutputError, match=message):
            write(path)
    with pytest.raises(OSError, match="it is a device or pipe"):
        write_whole(path, b"")
    assert path.is_fifo()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["link", "pipe"]


def test_the_standard_output_of_dev_is_not_replaced() -> None:
    with pytest.raises(OutputError, match=r"^output file /dev/stdout cannot be written: it is a"):
        check_file("/dev/stdout")


@pytest.mark.parametrize("name", ["../x.v", "/x.v", "a/x.v", "..", ""])
def test_names_that_lead_elsewhere_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(OutputError, match=r"^output file '.*' must be a plain name, "):
        write_folder(tmp_path / "out", {"good.v": "", name: ""})
    assert not (tmp_path / "out").exists()


def test_nothing_is_left_when_one_file_cannot_be_written(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    (folder / "b.v").mkdir(parents=True)
    with pytest.raises(OutputError, match=r"^output file .*/b\.v is a folder; remove it$"):
        write_folder(folder, {"a.v": "", "b.v": ""})
    assert [path.name for path in folder.iterdir()] == ["b.v"]


def test_a_folder_that_was_made_goes_again(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "out"
    with pytest.raises(OutputError, match=r"^output folder .* cannot be written: file name too"):
        write_folder(folder, {"a.v": "", "b" * 256: ""})
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_place_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    message = (
        r"^output folder .*/file/out cannot be written: not a directory; choose another place$"
    )
    with pytest.raises(OutputError, match=message):
        check_folder(tmp_path / "file" / "out")
    with pytest.raises(OutputError, match=r"^log .*/file/x.csv cannot be written: not a dir"):
        check_file(tmp_path / "file" / "x.csv", "log")


def test_a_folder_in_the_place_of_a_file(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"^log .* is a folder; name a file in it$"):
        check_file(tmp_path, "log")


def test_checking_makes_nothing(tmp_path: Path) -> None:
    check_folder(tmp_path / "a" / "b")
    check_file(tmp_path / "c" / "d.csv")
    assert list(tmp_path.iterdir()) == []


def test_one_file(tmp_path: Path) -> None:
    assert write_file(tmp_path / "a" / "x.svg", "<svg/>").read_text() == "<svg/>"
