"""What all sets of times share: every time has a range, and one out of it is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from syncfabric.models.errors import PlanError

__all__ = ["Ranges", "Times"]

Ranges = Mapping[str, tuple[float, float]]
"""The least and the greatest value of every field."""


@dataclass(frozen=True)
class Times:
    """Times in nanoseconds; a model derives from it and adds its fields and ``RANGES_NS``.

    Attributes
    ----------
    RANGES_NS : mapping of str to (float, float)
        The ranges of the model's fields.
    ORIGIN : str
        The model, in a word or two.
    SOFTWARE : bool
        Whether latencies contain a start-up of each message in software, ``t_s``.

    Raises
    ------
    PlanError
        A time is out of its range.
    """

    RANGES_NS: ClassVar[Ranges] = {}
    ORIGIN: ClassVar[str]
    SOFTWARE: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for name, (low, high) in self.RANGES_NS.items():
            value = getattr(self, name)
            if not low <= value <= high:
                what = f"{type(self).__name__}: {name}"
                raise PlanError(f"{what} must be {low} to {high} ns, not {value}")
