"""The base of every table of a network file, and the types of its values."""

from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from syncfabric.models.networks.explain import explain

Whole: TypeAlias = Annotated[int, Field(strict=True)]
Flag: TypeAlias = Annotated[bool, Field(strict=True)]
WholePlace: TypeAlias = tuple[Whole, Whole]
Text: TypeAlias = Annotated[str, Field(strict=True)]
Name: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]*$", max_length=100)]
Operation: TypeAlias = Literal["or", "and", "xor", "max", "min", "sum"]


class Table(BaseModel):
    """Frozen, with known keys only; a wrong value raises SpecError with one line."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def __init__(self, **data: Any) -> None:
        try:
            super().__init__(**data)
        except ValidationError as error:
            raise explain(error, type(self), self._subject(data), data) from None

    def changed(self, **keys: Any) -> Self:
        """Return the table with other values of some keys, checked as a whole again."""
        given = {key: getattr(self, key) for key in self.model_fields_set}
        return type(self)(**given | keys)

    @classmethod
    def _subject(cls, data: dict[str, Any]) -> str:
        """Return the first words of an error."""
        return ""
