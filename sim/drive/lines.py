"""The probe's lines: made from the model's records, read from the hardware, and told apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from syncfabric.models.golden.record import GuardWires, Record
from syncfabric.models.networks.spec import AnySpec
from syncfabric.sim.drive.lanes import bits
from syncfabric.sim.drive.names import Names
from syncfabric.sim.results import Mismatch

__all__ = [
    "EMPTY",
    "ConfigAnswer",
    "Line",
    "explain",
    "observe_line",
    "parse",
    "parse_wires",
    "record_line",
    "wires_of",
]

EMPTY = Record(0, 0, (), 0, ())
"""A cycle in which nothing is on any wire."""

ConfigAnswer = tuple[bool, bool, int]

_QUIET = GuardWires(0, 0, 0, 0)


@dataclass(frozen=True)
class Line:
    """A line of the probe, read: the wires of a cycle, or what changed of ``observe`` in it.

    Parameters
    ----------
    cycle : int
    record : Record
        The wires; ``EMPTY`` in a line of the other kind.
    answer : (error, data), optional
        Of the config port.
    observed : tuple of (target, observe), optional
        None in a line of wires.
    """

    cycle: int
    record: Record
    answer: tuple[int, int] | None = None
    observed: tuple[tuple[int, int], ...] | None = None


def record_line(cycle: int, record: Record, answer: ConfigAnswer) -> str:
    """Return the line that the probe writes for a cycle."""
    parts = [f"{cycle:x} {record.valid:x} {record.credit:x} {record.release:x}"]
    parts += [f"{payload:x}" for payload in record.payloads]
    parts += [f"{result:x}" for result in record.results]
    parts += [
        f"g{link:x}:" + ":".join(f"{wire:x}" for wire in shown)
        for link, shown in record.guards
        if any(shown)
    ]
    if answer[0]:
        parts.append(f"c{answer[1]:x}:{answer[2]:x}")
    return " ".join(parts)


def observe_line(changed: Sequence[tuple[int, int]]) -> str:
    """Return the line that follows a cycle with a release: targets, their new ``observe``."""
    return " ".join(["o", *(f"{target:x}:{value:x}" for target, value in changed)])


def parse(text: str, cycle: int) -> Line:
    """Read a line; an observation belongs to the cycle of the line before.

    Raises
    ------
    ValueError
        Something in it is no number: the hardware showed an unknown value. Or it has fewer flits
        than links on which something is valid: two bits of a link were high together.
    """
    words = text.split()
    if words[0] == "o":
        pairs = (word.split(":") for word in words[1:])
        return Line(cycle, EMPTY, observed=tuple((int(n, 16), int(v, 16)) for n, v in pairs))
    cycle, valid, credit, release = (int(word, 16) for word in words[:4])
    flits, released = valid.bit_count(), release.bit_count()
    if len(words) < 4 + flits + released:
        raise ValueError(text)
    payloads = [int(word, 16) for word in words[4 : 4 + flits]]
    results = [int(word, 16) for word in words[4 + flits : 4 + flits + released]]
    guards: list[tuple[int, GuardWires]] = []
    answer = None
    for word in words[4 + flits + released :]:
        numbers = [int(number, 16) for number in word[1:].split(":")]
        if word[0] == "g" and len(numbers) == 5:
            guards.append((numbers[0], GuardWires(*numbers[1:])))
        elif word[0] == "c":
            answer = (numbers[0], numbers[1])
        else:
            raise ValueError(word)
    record = Record(valid, credit, payloads, release, results, guards=tuple(guards))
    return Line(cycle, record, answer)


def wires_of(line: Line) -> Line:
    """Return a line less all that is carried: which wires of links and releases are high."""
    record = line.record
    return Line(line.cycle, Record(record.valid, record.credit, (), record.release, ()))


def parse_wires(text: str) -> Line:
    """Read as much of a line as `wires_of` leaves, whatever comes after it.

    Raises
    ------
    ValueError
        That is not known either.
    """
    cycle, valid, credit, release = (int(word, 16) for word in text.split()[:4])
    return Line(cycle, Record(valid, credit, (), release, ()))


def explain(spec: AnySpec, hardware: Line, model: Line) -> Iterator[Mismatch]:
    """Yield every difference between two lines of one cycle.

    Parameters
    ----------
    spec : AnySpec
        The network.
    hardware, model : Line
    """
    names = Names(spec)
    ours, theirs = hardware.record, model.record
    for kind, seen, wanted in (
        ("valid", ours.valid, theirs.valid),
        ("credit", ours.credit, theirs.credit),
    ):
        for lane in bits(seen ^ wanted):
            node, signal = names.lane(lane, kind)
            yield Mismatch(hardware.cycle, node, signal, seen >> lane & 1, wanted >> lane & 1)
    for lane, seen, wanted in _common(ours.valid, ours.payloads, theirs.valid, theirs.payloads):
        node, signal = names.lane(lane, "flit")
        yield Mismatch(hardware.cycle, node, signal, seen, wanted)
    for bit in bits(ours.release ^ theirs.release):
        node, signal = names.register(bit, "release")
        seen = ours.release >> bit & 1
        yield Mismatch(hardware.cycle, node, signal, seen, 1 - seen)
    for bit, seen, wanted in _common(ours.release, ours.results, theirs.release, theirs.results):
        node, signal = names.register(bit, "result")
        yield Mismatch(hardware.cycle, node, signal, seen, wanted)
    guards_seen, guards_wanted = dict(ours.guards), dict(theirs.guards)
    for link in sorted(guards_seen.keys() | guards_wanted.keys()):
        shown = (guards.get(link, _QUIET) for guards in (guards_seen, guards_wanted))
        for name, seen, wanted in zip(GuardWires._fields, *shown, strict=True):
            if seen != wanted:
                node, signal = names.guard(link, name)
                yield Mismatch(hardware.cycle, node, signal, seen, wanted)
    if hardware.answer != model.answer:
        yield Mismatch(
            hardware.cycle,
            None,
            "config_error, config_rdata",
            str(hardware.answer),
            str(model.answer),
        )
    # A target that only one of them printed changed in that one alone.
    seen_now, wanted_now = dict(hardware.observed or ()), dict(model.observed or ())
    for target in sorted(seen_now.keys() | wanted_now.keys()):
        if seen_now.get(target) != wanted_now.get(target):
            yield from _observed(names, hardware.cycle, target, seen_now, wanted_now)


def _common(
    word: int, values: Sequence[int], other_word: int, other_values: Sequence[int]
) -> Iterator[tuple[int, int, int]]:
    """Yield bits that both have, with their values where these are known and differ."""
    theirs = dict(zip(bits(other_word), other_values, strict=False))
    for bit, value in zip(bits(word), values, strict=False):
        if bit in theirs and theirs[bit] != value:
            yield bit, value, theirs[bit]


def _observed(
    names: Names, cycle: int, target: int, seen: dict[int, int], wanted: dict[int, int]
) -> Iterator[Mismatch]:
    """Yield the fields of a target's ``observe`` that differ."""
    node, values = names.target(target), (seen.get(target), wanted.get(target))
    if values[0] is None or values[1] is None:
        yield Mismatch(cycle, node, "observe (changed)", *values)
        return
    for (name, ours), (_, theirs) in zip(
        *(names.observed(value) for value in values if value is not None), strict=True
    ):
        if ours != theirs:
            yield Mismatch(cycle, node, f"observe: {name}", ours, theirs)
