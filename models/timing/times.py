"""What all sets of times share: every time has a range, and one out of it is refused."""

from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from syncfabric.models.errors import PlanError


def ns(default: float, most: float, words: str) -> Any:
    """Return a field for a time of 0 to ``most`` nanoseconds; ``words`` say what it is."""
    return field(default=default, metadata={"most": most, "words": words})


@dataclass(frozen=True)
class Times:
    """Times in nanoseconds; a model derives from it and adds its fields by ``ns``.

    Attributes
    ----------
    ORIGIN : str
        The model, in a word or two.
    SOFTWARE : bool
        Whether latencies contain a start-up of each message in software, ``t_s``.

    Raises
    ------
    PlanError
        A time is out of its range.
    """

    ORIGIN: ClassVar[str]
    SOFTWARE: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for name, most in self.most_ns().items():
            value = getattr(self, name)
            if not 0 <= value <= most:
                what = f"{type(self).__name__}: {name}"
                raise PlanError(f"{what} must be 0 to {most} ns, not {value}")

    @classmethod
    def most_ns(cls) -> dict[str, float]:
        """Return the greatest value of each time by its name; the least of all is 0."""
        return {time.name: time.metadata["most"] for time in fields(cls)}
