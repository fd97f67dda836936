"""Lower bounds with their arguments, as a schedule file has them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, ClassVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from syncfabric.models.collectives.arguments import Argument, Paper, Solver
from syncfabric.models.errors import SpecError

__all__ = ["Bound", "best"]


@dataclass(frozen=True)
class Bound:
    """A number of steps that every schedule takes at least, and why.

    The arguments of AOG, AOR and AAR are about their time reversal, with every channel turned
    round.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")
    value: int
    argument: Argument

    @property
    def proves(self) -> bool:
        """Whether ``verify`` can tell if it holds."""
        return not isinstance(self.argument, Paper | Solver)

    def to_json(self) -> dict[str, Any]:
        """Return the bound as a schedule file holds it."""
        return {"value": self.value, "argument": asdict(self.argument)}

    @classmethod
    def from_json(cls, values: Any) -> Bound:
        """Return the bound that ``to_json`` wrote.

        Raises
        ------
        SpecError
            The values have not its shape.
        """
        try:
            return _adapter().validate_python(values)
        except ValidationError as error:
            raise SpecError(f"certificate: {error.errors()[0]['msg']}") from None


def best(bounds: list[Bound]) -> Bound | None:
    """Return the greatest of the bounds that prove something."""
    return max((bound for bound in bounds if bound.proves), key=lambda b: b.value, default=None)


@cache
def _adapter() -> TypeAdapter[Bound]:
    return TypeAdapter(Bound)
