"""A register map as SystemRDL 2.0, for generators of documents, headers and test benches.

SystemRDL counts bytes: an address is four times the word.
"""

from __future__ import annotations

from collections.abc import Iterator

from syncfabric.models.messages.words import WORD_BITS, Bits, Block, Part

__all__ = ["rdl"]

_BYTES = WORD_BITS // 8
_HARDWARE = {"r": "w", "w": "r", "rw": "r"}
"""What the hardware does with a field, by what software can do."""

_TAKEN = frozenset({"local"})
"""Names that are words of a language which others make of this one; they get a ``_``."""


def rdl(top: Block, about: str) -> str:
    """Return a register map as the text of an ``addrmap`` of its name.

    Blocks right under it are an ``addrmap`` of their own each, named after both.

    Parameters
    ----------
    top : Block
    about : str
        First line, a comment.
    """
    lines = [f"// {about}", ""]
    for part in top.parts:
        if isinstance(part, Block):
            lines += [f"addrmap {top.name}_{part.name} {{", *_inside(part), "};", ""]
    lines += [f"addrmap {top.name} {{", *_property("name", top.meaning)]
    lines += ["  addressing = compact;"]
    for part in top.parts:
        if isinstance(part, Block):
            lines.append(f"  {top.name}_{part.name} {_place(part)};")
        else:
            lines += _indented(_part(part))
    return "\n".join([*lines, "};"]) + "\n"


def _inside(block: Block) -> Iterator[str]:
    yield from _property("name", block.meaning)
    for part in block.parts:
        yield from _indented(_part(part))


def _part(part: Part) -> Iterator[str]:
    if isinstance(part, Block):
        yield "regfile {"
        yield from _inside(part)
    elif not part.fields:
        yield "external mem {"
        yield from _property("name", part.meaning)
        yield f"  mementries = {part.count};"
        yield f"  memwidth = {WORD_BITS};"
        yield "  sw = rw;"
    else:
        yield "reg {"
        yield from _property("name", part.meaning)
        yield f"  regwidth = {WORD_BITS};"
        for field in part.fields:
            yield from _indented(_field(field))
    yield f"}} {_place(part)};"


def _field(field: Bits) -> Iterator[str]:
    yield "field {"
    yield from _property("desc", field.meaning)
    yield f"  sw = {field.access};"
    yield f"  hw = {'na' if field.constant else _HARDWARE[field.access]};"
    if field.reset is not None:
        yield f"  reset = {field.width}'h{field.reset:x};"
    name = f"{field.name}_" if field.name in _TAKEN else field.name
    yield f"}} {name}[{field.low + field.width - 1}:{field.low}];"


def _place(part: Part) -> str:
    """Return an instance's name, size and address."""
    at = f"@ 0x{part.address * _BYTES:x}"
    if part.count is None or not (isinstance(part, Block) or part.fields):
        return f"{part.name} {at}"
    stride = part.stride if isinstance(part, Block) else 1
    return f"{part.name}[{part.count}] {at} += 0x{stride * _BYTES:x}"


def _property(name: str, text: str) -> Iterator[str]:
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    yield f'  {name} = "{quoted}";'


def _indented(lines: Iterator[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)
