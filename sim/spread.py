"""What results are made of: their parts' settings, nodes, and the spread of measurements."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import ConfigDict

NodeName = tuple[int, int] | int
"""A node as results name it: ``[x, y]`` on a mesh; ``[switch, port]``, or a switch's number."""


class Part:
    """A class of a result: its fields and their docstrings are JSON and JSON Schema."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(
        use_attribute_docstrings=True,
        extra="forbid",
        json_schema_serialization_defaults_required=True,
    )


@dataclass(frozen=True)
class Spread(Part):
    """Least, middle and greatest of a set of measurements; in cycles unless said otherwise."""

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
