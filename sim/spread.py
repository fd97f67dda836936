"""What results are made of: their parts' settings, nodes, and the spread of measurements."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from syncfabric.models.errors import SpecError

Result = TypeVar("Result")

NodeName = tuple[int, int] | int
"""A node as results name it: ``[x, y]`` on a mesh; ``[switch, port]``, or a switch's number."""


class Part:
    """A class of a result: its fields and their docstrings are JSON and JSON Schema."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(
        use_attribute_docstrings=True,
        extra="forbid",
        json_schema_serialization_defaults_required=True,
    )


def validated(adapter: TypeAdapter[Result], values: Any) -> Result:
    """Return the result that JSON values are.

    Raises
    ------
    SpecError
        ``values`` has not the shape of a result; the message names the first place.
    """
    try:
        return adapter.validate_python(values)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "result"
        raise SpecError(f"result: {place}: {first['msg']}") from None


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
