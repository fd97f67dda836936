"""One figure beside its target."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

__all__ = ["Row", "Section"]


@dataclass(frozen=True)
class Row:
    """A measured figure.

    Parameters
    ----------
    figure : str
        What was measured.
    measured : str
        The figure, with its unit.
    target : str
        What it has to be; empty where it is only reported.
    met : bool or None
        Whether it is; None where there is no target.
    peers : str
        What other projects reach, a line each.
    """

    figure: str
    measured: str
    target: str = ""
    met: bool | None = None
    peers: str = ""


Section = Callable[[], Iterator[Row]]
"""Measures one group of figures; its docstring's first line is the title."""
