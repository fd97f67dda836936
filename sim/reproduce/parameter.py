"""A number of an experiment that a user can set."""

from __future__ import annotations

from dataclasses import dataclass

from syncfabric.models.errors import SpecError

__all__ = ["Parameter"]


@dataclass(frozen=True)
class Parameter:
    """What ``--set NAME=VALUE`` changes.

    Parameters
    ----------
    name : str
    value : int or float
        By default; an int takes whole numbers only.
    least, most : int or float
        Its range.
    words : str
        What it is, with its unit.
    """

    name: str
    value: int | float
    least: int | float
    most: int | float
    words: str

    def checked(self, value: int | float, whose: str) -> int | float:
        """Return a value as the parameter takes it.

        Parameters
        ----------
        value : int or float
        whose : str
            The experiment's name.

        Raises
        ------
        SpecError
            It is out of range, or not whole.
        """
        what = f"--set {self.name}"
        if isinstance(self.value, int) and not isinstance(value, int):
            raise SpecError(
                f"{what}: it must be a whole number for {whose}, not {value}; it is {self.words}"
            )
        if not self.least <= value <= self.most:
            raise SpecError(
                f"{what}: it must be {self.least:,} to {self.most:,} for {whose}, not {value:,}; "
                f"it is {self.words}"
            )
        return type(self.value)(value)
