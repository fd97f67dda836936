"""Files that a user names: read whole, and never without end; written whole, or not at all."""

import csv
import errno
import io
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib.resources.abc import Traversable
from pathlib import Path

from syncfabric.models.errors import SpecError, about

LARGEST = 1 << 30
"""Bytes of a file; a mistyped name must not fill the memory."""


@contextmanager
def reading(name: str | Path, *, or_name: bool = False) -> Iterator[None]:
    """Let each refusal inside begin with a file's name, be it that the file cannot be read.

    Raises
    ------
    SpecError
        The file is not there, cannot be read, or is not UTF-8; or as inside.
    FileNotFoundError
        There is no such file, and with ``or_name`` it may be the name of something else: it has
        neither a slash nor a suffix.
    """
    with about(str(name)):
        try:
            yield
        except FileNotFoundError:
            if or_name and "/" not in str(name) and not Path(name).suffix:
                raise
            raise SpecError("no such file; check the path") from None
        except IsADirectoryError:
            raise SpecError("it is a folder; name a file") from None
        except UnicodeDecodeError:
            raise SpecError("not a text file in UTF-8") from None
        except OSError as error:
            raise SpecError(f"cannot be read: {error.strerror}") from None


def csv_text(heads: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows(rows)
    return text.getvalue()


def read_bytes(path: Path) -> bytes:
    """Return what is in a file, or comes through a pipe.

    A named pipe without a writer is empty.

    Raises
    ------
    OSError
        There is no such file, or it cannot be read, or is neither file nor pipe, or is larger than
        ``LARGEST``; ``strerror`` says which.
    """
    try:
        # To open a pipe would wait for somebody who writes.
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except ValueError:  # a null byte in its name
        raise OSError(errno.EINVAL, "embedded null byte") from None
    with os.fdopen(number, "rb") as file:
        mode = os.fstat(number).st_mode
        if stat.S_ISDIR(mode):
            raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
            raise OSError(errno.EINVAL, "it is a device, not a file")
        os.set_blocking(number, True)
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise OSError(errno.EFBIG, f"it is larger than {LARGEST:,} bytes")
    return data


def read_text(path: Path) -> str:
    """Return the text of a file in UTF-8, however its lines end.

    Raises
    ------
    OSError
        As ``read_bytes``.
    UnicodeDecodeError
        It is not UTF-8.
    """
    text = read_bytes(path).decode()
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_beside(folder: Traversable, name: str, key: str) -> bytes:
    """Return what is in a file.

    Parameters
    ----------
    folder : Traversable
        The network file's own.
    name : str
        The path from there, or an absolute one.
    key : str
        The key of ``[network]`` that names it.

    Raises
    ------
    SpecError
        There is no such file, or it cannot be read.
    """
    try:
        place = folder.joinpath(name)
        return read_bytes(place) if isinstance(place, Path) else place.read_bytes()
    except FileNotFoundError:
        raise SpecError(
            f"network: {key} {name} does not exist; give its path from the network file's folder"
        ) from None
    except OSError as error:
        raise SpecError(f"network: {key} {name} cannot be read: {error.strerror}") from None


def text_beside(folder: Traversable, name: str, key: str) -> str:
    """Return the text in a file; raises SpecError as ``read_beside``, or if it is not UTF-8."""
    try:
        return read_beside(folder, name, key).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise SpecError(f"network: {key} {name}: not a text file in UTF-8") from None


def refuse_device(path: Path) -> None:
    """Refuse to write in place of a device or pipe, which would remove it.

    Raises
    ------
    OSError
        There is one, by itself or behind a link, or the path is a link in ``/dev``.
    """
    standard = path.is_symlink() and path.parent.resolve() == Path("/dev")  # /dev/stdout
    if standard or (path.exists() and not (path.is_file() or path.is_dir())):
        raise OSError(errno.EINVAL, "it is a device or pipe, not a file")


def write_new(path: Path, data: bytes) -> None:
    """Write a file in place of what has its name, and never through a symbolic link.

    Raises
    ------
    OSError
        It cannot be written.
    """
    path.unlink(missing_ok=True)
    with path.open("xb") as file:
        file.write(data)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file, or leave what was there; a symbolic link of its name gives way to it.

    Raises
    ------
    OSError
        It cannot be written.
    """
    passing = path.with_name(f".{os.getpid()}.part")
    try:
        refuse_device(path)
        write_new(passing, data)
        passing.replace(path)
    except BaseException:
        with suppress(OSError):
            passing.unlink()
        raise
