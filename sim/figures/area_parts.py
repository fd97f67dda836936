"""What each part of a router adds to its area."""

from __future__ import annotations

from collections.abc import Iterator

from syncfabric.sim.figures.row import Row
from syncfabric.sim.figures.synthesized import synthesized

__all__ = ["area_parts"]

REGISTERS = (1, 4, 16)
USUAL = 4
PLAIN = "mesh-router-plain"
PARTS: dict[str, dict[str, tuple[str, ...]]] = {
    "mesh-router": {
        "4 data bits": ("data_bits=4",),
        "all operations on 4 data bits": ("data_bits=4", "operations=all"),
        "links of their own": ("sync_links=own",),
        "8 check bits": ("check_bits=8",),
        "a watchdog": ("watchdog=1000",),
    },
    "mesh-router-wires": {
        "4 data bits": ("data_bits=4",),
        "one wire a direction": ("wires=shared",),
        "parity": ("parity=true",),
    },
}
"""By block, with 4 registers: what is added to it, and the keys that add it."""

_NAMES = {
    "mesh-router": ("messages", "register"),
    "mesh-router-wires": ("wires", "slot"),
}
"""By block: how its barriers travel, and what holds one."""


def area_parts() -> Iterator[Row]:
    """What each part of a router adds: LUT4, FF (5 ports, 4-flit buffers)."""
    try:
        plain = _area(PLAIN)
    except RuntimeError as error:
        yield Row(PLAIN, f"not measured: {error}")
        return
    yield Row("router of packets, no barriers", _words(plain))
    for block, parts in PARTS.items():
        by, one = _NAMES[block]
        sizes = {count: _area(block, f"barrier_registers={count}") for count in REGISTERS}
        for count, size in sizes.items():
            name = f"{by}: channels, config port, {count} {one}{'s' if count > 1 else ''}"
            yield Row(name, f"{_words(size)} (plain {_more(size, plain)})")
        few, many = REGISTERS[0], REGISTERS[-1]
        each = [(b - a) / (many - few) for a, b in zip(sizes[few], sizes[many], strict=True)]
        yield Row(f"{by}: a {one} of {many}", f"+{each[0]:.0f}, +{each[1]:.0f}")
        first = [a - b - few * c for a, b, c in zip(sizes[few], plain, each, strict=True)]
        yield Row(f"{by}: all but its {one}s", f"{first[0]:+.0f}, {first[1]:+.0f}")
        usual = sizes[USUAL]
        for name, keys in parts.items():
            size = _area(block, *keys)
            yield Row(f"{by}: {USUAL} {one}s and {name}", f"{_words(size)} ({_more(size, usual)})")
        for name in ("counters", "shipped"):
            size = _area(f"{block}-{name}")
            words = "counters" if name == "counters" else "all that is on by default, as shipped"
            yield Row(f"{by}: {USUAL} {one}s and {words}", f"{_words(size)} ({_more(size, usual)})")


def _area(block: str, *keys: str) -> tuple[int, int]:
    """Return LUT4 and FF of a block."""
    options = [word for key in keys for word in ("--set", key)]
    found = synthesized(block, "--area", *options)
    return found["lut4"], found["ff"]


def _words(size: tuple[int, int]) -> str:
    return f"{size[0]:,}, {size[1]:,}"


def _more(size: tuple[int, int], base: tuple[int, int]) -> str:
    return ", ".join(f"{a - b:+,}" for a, b in zip(size, base, strict=True))
