"""The one family of exceptions that Syncfabric raises for a user's mistake."""

from collections.abc import Iterator
from contextlib import contextmanager


class SyncfabricError(ValueError):
    """Bad input or a missing tool; the message alone says what to mend."""


class SpecError(SyncfabricError):
    """A network file, or a value in it, is not what the format allows."""


class UnknownNameError(SpecError):
    """A network has not this name, and no file either."""


class PlanError(SyncfabricError):
    """A barrier cannot be planned as asked."""


class ProgramError(SpecError):
    """A program that does not compile; the compiler's lines are printed as they are."""


class DeadlockError(PlanError):
    """The planned network has a cycle of channels that wait for each other."""


class ToolError(SyncfabricError):
    """A simulator or another program that the job needs is missing or failed."""


class OutputError(SyncfabricError):
    """A file or a folder cannot be written."""


class BoardError(SyncfabricError):
    """A board does not answer, or not as it must."""


@contextmanager
def about(file: str) -> Iterator[None]:
    """Let each refusal inside begin with the name of the file that it is about.

    Parameters
    ----------
    file : str
        As the user gave it; empty where there is none.
    """
    try:
        yield
    except SyncfabricError as error:
        if file and not str(error).startswith(f"{file}: "):
            error.args = (f"{file}: {error}",)
        raise


def check_range(
    name: str, value: float, least: float, most: float | None = None, unit: str = ""
) -> None:
    """Refuse a number outside of its range.

    Parameters
    ----------
    name : str
        What the user calls it.
    value, least, most : float
        The number, and the range with both ends; without ``most`` all from ``least`` on.
    unit : str
        Said behind the range, after a blank.

    Raises
    ------
    SpecError
        With the range and the number.
    """
    if not least <= value or (most is not None and value > most):
        unit = f" {unit}" * bool(unit)
        span = f"{least:,}{unit} or more" if most is None else f"{least:,} to {most:,}{unit}"
        raise SpecError(f"{name} must be {span}, not {value:,}")


def how_to_install(extra: str) -> str:
    """Return how to install an extra of ``pyproject.toml``: from a checkout, no index has it."""
    return f"install it in the checkout with: .venv/bin/pip install -e '.[{extra}]'"
