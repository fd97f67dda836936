"""The spread of a set of measurements, as results tell it."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import ConfigDict

__all__ = ["CONFIG", "Spread"]

CONFIG = ConfigDict(
    use_attribute_docstrings=True,
    extra="forbid",
    json_schema_serialization_defaults_required=True,
)
"""Of every class that a result is made of."""


@dataclass(frozen=True)
class Spread:
    """Least, middle and greatest of a set of measurements; in cycles unless said otherwise."""

    __pydantic_config__: ClassVar[ConfigDict] = CONFIG

    min: int
    """Least value."""
    median: float
    """Middle value; the mean of the two middle ones of an even number."""
    max: int
    """Greatest value."""

    @classmethod
    def of(cls, values: Sequence[int]) -> "Spread | None":
        """Return the spread of ``values``, or None where there are none."""
        if not len(values):
            return None
        return cls(int(min(values)), float(statistics.median(values)), int(max(values)))
