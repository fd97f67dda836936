"""Lines of a C header."""

from __future__ import annotations

import re
from collections.abc import Mapping

from syncfabric.models.messages import Layout

__all__ = ["define", "defines", "fields", "prefixed"]


def define(name: str, value: int, *, as_hex: bool = False) -> str:
    """Return the line that names a number."""
    return f"#define SYNCFABRIC_{name} {f'0x{value:x}u' if as_hex else f'{value}u'}"


def prefixed(text: str, prefix: str) -> str:
    """Return C with another prefix of all its names, in capitals where they are macros."""

    def swap(match: re.Match[str]) -> str:
        return (prefix.upper() if match[1].isupper() else prefix) + "_"

    return re.sub(r"\b(SYNCFABRIC|syncfabric)_", swap, text)


def defines(values: Mapping[str, int]) -> list[str]:
    """Return the lines that name these numbers."""
    return [define(name, value) for name, value in values.items()]


def fields(layout: Layout) -> str:
    """Return shift and mask of each field of a word: field = (word >> SHIFT) & MASK."""
    prefix = layout.name.upper().replace("'S", "").replace(" ", "_")
    lines = [f"/* {layout.name[0].upper()}{layout.name[1:]}, {layout.width} bits. */"]
    for field in layout.fields:
        name = f"{prefix}_{field.name.upper()}"
        lines.append(f"/* {field.name}: {field.meaning} */")
        lines.append(define(f"{name}_SHIFT", layout.offsets[field.name]))
        lines.append(define(f"{name}_MASK", (1 << field.width) - 1, as_hex=True))
    return "\n".join(lines)
