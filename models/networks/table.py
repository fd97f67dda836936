"""The base of every table of a network file, and the types of its values."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from syncfabric.models.networks.explain import explain

__all__ = [
    "BufferFlits",
    "Channels",
    "CheckBits",
    "DataBits",
    "Flag",
    "FlitBits",
    "LinkRegisters",
    "Managers",
    "Name",
    "Operation",
    "Operations",
    "Table",
    "Text",
    "Whole",
    "WholePlace",
]

Whole: TypeAlias = Annotated[int, Field(strict=True)]
Flag: TypeAlias = Annotated[bool, Field(strict=True)]
WholePlace: TypeAlias = tuple[Whole, Whole]
Text: TypeAlias = Annotated[str, Field(strict=True)]
Name: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]*$", max_length=100)]
Operation: TypeAlias = Literal["or", "and", "xor", "max", "min", "sum"]

# The keys that meshes and irregular networks share; their defaults differ.
FlitBits: TypeAlias = Annotated[
    Whole, Field(ge=16, le=128, description="Width of a flit, head and tail apart.")
]
DataBits: TypeAlias = Annotated[
    Whole, Field(ge=0, le=32, description="What a barrier combines and hands back.")
]
BufferFlits: TypeAlias = Annotated[
    Whole, Field(ge=1, le=16, description="Flits an ordinary channel can hold.")
]
Channels: TypeAlias = Annotated[
    Whole, Field(ge=0, le=4, description="Virtual channels for ordinary packets.")
]
Operations: TypeAlias = Annotated[
    Literal["bitwise", "all"],
    Field(description='Which operations are built; "all" adds max, min and sum.'),
]
Managers: TypeAlias = Annotated[
    tuple[WholePlace, ...],
    Field(max_length=4, description="Nodes that set groups up; the first node by default."),
]
LinkRegisters: TypeAlias = Annotated[
    Whole, Field(ge=0, le=3, description="Registers of a barrier wire on each link.")
]
CheckBits: TypeAlias = Annotated[
    Whole, Field(ge=0, le=8, description="Check bits of every flit on a link; 0: none.")
]


class Table(BaseModel):
    """Frozen, with known keys only; a wrong value raises SpecError with one line."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def __init__(self, **data: Any) -> None:
        try:
            super().__init__(**data)
        except ValidationError as error:
            raise explain(error, type(self), self._subject(data)) from None

    @classmethod
    def _subject(cls, data: dict[str, Any]) -> str:
        """Return the first words of an error."""
        return ""
