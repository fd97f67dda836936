"""What each part of a router adds to its area."""

from __future__ import annotations

from collections.abc import Iterator

from syncfabric.sim.figures.row import Row
from syncfabric.sim.figures.synthesized import synthesized

__all__ = ["area_parts"]

PLAIN, ENGINE, SLOTS = "router-xy", "router-engine", "slots"
COUNTS = (1, 4, 16)
"""Groups of an engine, and slots of barrier wires."""
PARTS: dict[str, dict[str, tuple[str, ...]]] = {
    ENGINE: {
        "4 data bits": ("data_bits=4", "operations=bitwise"),
        "all operations on 4 data bits": ("data_bits=4", "operations=all"),
        "links shared with packets": ("message_links=shared",),
        "8 check bits": ("check_bits=8",),
        "counters": ("counters=true",),
        "read-back": ("read_back=true",),
    },
    SLOTS: {
        "4 data bits": ("data_bits=4", "operations=bitwise"),
        "parity": ("check_bits=8",),
        "a watchdog": ("watchdog=1000",),
    },
}
"""By block, as large as it is by default: what is added to it, and the keys that add it."""
_HELD = {ENGINE: ("groups", "group"), SLOTS: ("wires", "slot")}
"""By block: the key that says how many it holds, and of what."""


def area_parts() -> Iterator[Row]:
    """What each part of a router adds: LUT4, FF (5 ports, 4-flit buffers)."""
    try:
        plain = _area(PLAIN)
    except RuntimeError as error:
        yield Row(PLAIN, f"not measured: {error}")
        return
    yield Row("router of packets, no barriers", _words(plain))
    for block, parts in PARTS.items():
        key, one = _HELD[block]
        sizes = {count: _area(block, f"{key}={count}") for count in COUNTS}
        for count, size in sizes.items():
            more = f" (plain {_more(size, plain)})" if block == ENGINE else ""
            yield Row(f"{block}: {count} {one}{'s' if count > 1 else ''}", _words(size) + more)
        few, many = COUNTS[0], COUNTS[-1]
        each = [(b - a) / (many - few) for a, b in zip(sizes[few], sizes[many], strict=True)]
        yield Row(f"{block}: a {one} of {many}", f"+{each[0]:.0f}, +{each[1]:.0f}")
        usual = _area(block)
        for name, keys in parts.items():
            size = _area(block, *keys)
            yield Row(f"{block}: {name}", f"{_words(size)} ({_more(size, usual)})")


def _area(block: str, *keys: str) -> tuple[int, int]:
    """Return LUT4 and FF of a block."""
    options = [word for key in keys for word in ("--set", key)]
    found = synthesized(block, "--area", *options)
    return found["lut4"], found["ff"]


def _words(size: tuple[int, int]) -> str:
    return f"{size[0]:,}, {size[1]:,}"


def _more(size: tuple[int, int], base: tuple[int, int]) -> str:
    return ", ".join(f"{a - b:+,}" for a, b in zip(size, base, strict=True))
