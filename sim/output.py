"""Files that a user asked for: all of a set or none, whole or not at all.

Contents are made first. They are then written beside their places under passing names, and
renamed together, so that neither a refusal nor an interrupt leaves half a set behind.
"""

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from syncfabric.models.errors import OutputError
from syncfabric.models.files import refuse_device, write_new

Content = str | bytes


def check_folder(folder: str | Path) -> None:
    """Refuse an output folder that cannot be written, before any work; make nothing.

    Raises
    ------
    OutputError
        With the reason.
    """
    _try_to_write(Path(folder), f"output folder {folder}")


def check_file(path: str | Path, what: str = "output file") -> None:
    """Refuse a file that cannot be written, before any work; make nothing.

    Raises
    ------
    OutputError
        With the reason.
    """
    path = Path(path)
    with _reported(f"{what} {path}"):
        if path.is_dir():
            raise OutputError(f"{what} {path} is a folder; name a file in it")
        refuse_device(path)
    _try_to_write(path.parent, f"{what} {path}")


def make_folder(folder: str | Path) -> None:
    """Make a folder, and those above it.

    Raises
    ------
    OutputError
        It cannot be made.
    """
    write_folder(folder, {})


def write_file(path: str | Path, content: Content) -> Path:
    """Write one file, and the folders above it; see ``write_folder``."""
    path = Path(path)
    return write_folder(path.parent, {path.name: content})[0]


def write_folder(folder: str | Path, files: Mapping[str, Content]) -> list[Path]:
    """Write a set of files into a folder, which is made where it is missing.

    Parameters
    ----------
    folder : str or Path
    files : mapping of str to Content
        Contents by plain file name: nothing is ever written outside the folder.

    Returns
    -------
    list of Path
        The files, in the mapping's order.

    Raises
    ------
    OutputError
        A name is not plain, or the folder cannot be written; nothing has changed then.
    """
    folder = Path(folder)
    _check_names(files)
    try:
        with ExitStack() as undo:
            missing_ones = [each for each in (folder, *folder.parents) if not each.exists()]
            for missing in reversed(missing_ones):
                missing.mkdir()
                undo.callback(_remove_folder, missing)
            passing = {}
            for number, (name, content) in enumerate(files.items()):
                passing[name] = folder / f".{os.getpid()}.{number}.part"
                undo.callback(passing[name].unlink, missing_ok=True)
                data = content.encode(errors="replace") if isinstance(content, str) else content
                write_new(passing[name], data)
            for name in files:
                if (folder / name).is_dir():
                    raise OutputError(f"output file {folder / name} is a folder; remove it")
                refuse_device(folder / name)
            for name, path in passing.items():
                path.replace(folder / name)
            undo.pop_all()
    except OSError as error:
        raise _refusal(f"output folder {folder}", error) from None
    return [folder / name for name in files]


def _check_names(names: Iterable[str]) -> None:
    for name in names:
        if name in ("", ".", "..") or "/" in name or "\0" in name:
            raise OutputError(f"output file {name!r} must be a plain name, without a folder")


def _existing(folder: Path) -> Path:
    return next(
        (place for place in (folder, *folder.absolute().parents) if os.path.lexists(place)),
        Path("/"),
    )


def _try_to_write(folder: Path, what: str) -> None:
    """Write a file without a name: what permissions say is not the only obstacle."""
    with _reported(what), tempfile.TemporaryFile(dir=_existing(folder)):
        pass


@contextmanager
def _reported(what: str) -> Iterator[None]:
    """Say of an error of the system what cannot be written, and why."""
    try:
        yield
    except OSError as error:
        raise _refusal(what, error) from None
    except ValueError as error:
        if isinstance(error, OutputError):
            raise
        raise OutputError(f"{what} cannot be written: there is a null byte in its name") from None


def _remove_folder(folder: Path) -> None:
    with suppress(OSError):  # others use it already
        folder.rmdir()


def _refusal(what: str, error: OSError) -> OutputError:
    reason = (error.strerror or str(error)).lower()
    return OutputError(f"{what} cannot be written: {reason}; choose another place")
