"""Bits of signals and statements: joined, cut, searched."""

import re
from collections.abc import Iterator

from syncfabric.sim.emit.netlist import Assign, Bits, Body, Signal, Switch


def merged(signal: Signal) -> Signal:
    """Join constants, and bits of a wire, that stand side by side."""
    parts: list[Bits] = []
    for bits in signal:
        last = parts[-1] if parts else None
        if last and last.wire is None and bits.wire is None:
            parts[-1] = Bits(None, last.low | bits.low << last.width, last.width + bits.width)
        elif last and bits.wire and last.wire is bits.wire and last.low + last.width == bits.low:
            parts[-1] = Bits(bits.wire, last.low, last.width + bits.width)
        else:
            parts.append(bits)
    return tuple(parts)


def cut(signal: Signal, low: int, width: int, signed: bool = False) -> Signal:
    """Return bits of a signal; above its highest bit there are as many as are asked for."""
    parts: list[Bits] = []
    at = 0
    for bits in signal:
        first, last = max(low, at), min(low + width, at + bits.width)
        if first < last:
            off = first - at
            if bits.wire is None:
                parts.append(Bits(None, bits.low >> off & (1 << last - first) - 1, last - first))
            else:
                parts.append(Bits(bits.wire, bits.low + off, last - first))
        at += bits.width
    if low + width > at:
        more = low + width - max(at, low)
        if signed and signal:
            top = next(iter(reversed(list(single(signal[-1])))))
            parts += [top] * more
        else:
            parts.append(Bits(None, 0, more))
    return tuple(parts)


def single(bits: Bits) -> Iterator[Bits]:
    """Yield each bit."""
    for i in range(bits.width):
        yield (
            Bits(None, bits.low >> i & 1, 1)
            if bits.wire is None
            else Bits(bits.wire, bits.low + i, 1)
        )


def runs(mask: int) -> Iterator[tuple[int, int]]:
    """Yield low end and width of runs of ones."""
    for run in re.finditer("1+", f"{mask:b}"[::-1]):
        yield run.start(), len(run[0])


def borders(body: Body) -> Iterator[int]:
    """Yield where runs of bits begin and end that statements assign."""
    for statement in body:
        if isinstance(statement, Assign):
            low = statement.target[0].low
            yield from (low, low + statement.target[0].width)
        else:
            for _, inner in statement.cases:
                yield from borders(inner)


def given(body: Body) -> int:
    """Return a mask of the bits that statements can give a value."""
    mask = 0
    for statement in body:
        if isinstance(statement, Assign):
            target = statement.target[0]
            mask |= (1 << target.width) - 1 << target.low
        else:
            for _, inner in statement.cases:
                mask |= given(inner)
    return mask


def gives(statement: Assign | Switch, low: int) -> bool:
    """Return whether a statement can give a bit a value."""
    if isinstance(statement, Assign):
        target = statement.target[0]
        return target.low <= low < target.low + target.width
    return any(gives(inner, low) for _, body in statement.cases for inner in body)
