"""Fields of bits, and the words that they make up."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from syncfabric.models.errors import SpecError


@dataclass(frozen=True)
class Field:
    """One named run of bits."""

    name: str
    width: int
    meaning: str


@dataclass(frozen=True)
class Layout:
    """Fields from the low bits up, without gaps; ``absent`` names some that are of no bits here."""

    name: str
    fields: tuple[Field, ...]
    absent: tuple[str, ...] = ()

    @cached_property
    def width(self) -> int:
        """Bits of all fields together."""
        return sum(field.width for field in self.fields)

    @cached_property
    def offsets(self) -> dict[str, int]:
        """Lowest bit of each field, by name."""
        offsets, position = {}, 0
        for field in self.fields:
            offsets[field.name] = position
            position += field.width
        return offsets

    def pack(self, values: Mapping[str, int]) -> int:
        """Return the word with these field values; absent fields are 0.

        Raises
        ------
        SpecError
            A value does not fit its field, or no field has that name.
        """
        unknown = values.keys() - self.offsets.keys()
        if unknown:
            raise SpecError(f"{self.name} has no field {sorted(unknown)[0]!r}")
        word = 0
        for field in self.fields:
            value = int(values.get(field.name, 0))
            if not 0 <= value < 1 << field.width:
                raise SpecError(
                    f"{self.name} field {field.name} holds 0..{(1 << field.width) - 1}, not {value}"
                )
            word |= value << self.offsets[field.name]
        return word

    def unpack(self, word: int) -> dict[str, int]:
        """Return the value of every field of ``word``."""
        return {
            field.name: word >> self.offsets[field.name] & (1 << field.width) - 1
            for field in self.fields
        }
