"""The checker of a run: hardware against model, and the rules against the hardware's trace."""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import zip_longest
from typing import Any, TypeVar

from syncfabric.models.golden.record import Beat, GuardWires, PortState
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import AnySpec, IrregularSpec, MeshSpec, StaticSpec
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.drive.targets import target_names
from syncfabric.sim.drive.trace import (
    EMPTY,
    Act,
    Chunk,
    Line,
    Report,
    Rule,
    Turn,
    bits,
    parse,
    parse_wires,
    wires_of,
)
from syncfabric.sim.results import Mismatch
from syncfabric.sim.spread import NodeName

Named = tuple[NodeName | None, str]

_QUIET = GuardWires(0, 0, 0, 0)


class Names:
    """Names of a network's wires, registers and rules.

    Parameters
    ----------
    spec : AnySpec
        The network.
    """

    def __init__(self, spec: AnySpec) -> None:
        self._spec, self._links, self._targets = spec, links_of(spec), target_names(spec)

    def lane(self, lane: int, kind: str) -> Named:
        """Return node and name of a bit of all links' ``valid`` or ``credit``, or its flit."""
        link, channel = divmod(lane, self._links.width)
        begin = self._links.names[link]
        if begin is None:
            return None, f"link number {link}, {kind}[{channel}]"
        if isinstance(self._spec, StaticSpec):  # a link has one lane
            return begin[0], f"{self._wire(*begin)}_{kind}"
        wire, class_ = self._wire(*begin), channel - self._links.channels - self._links.setup
        slot = class_ - self._links.classes
        stream = channel - self._links.first_stream
        if stream >= self._links.streams:
            return begin[0], f"{wire}_stream_fault[{stream - self._links.streams}]"
        if stream >= 0:
            return begin[0], f"{wire}_stream{'' if kind == 'flit' else f'_{kind}'}[{stream}]"
        if slot >= 0:
            return begin[0], f"{wire}_slots{'' if kind == 'flit' else f'_{kind}'}[{slot}]"
        if class_ < 0:
            return begin[0], f"{wire}_{kind}[{channel}]"
        if kind == "flit":
            shared = self._spec.shape.router.shared
            return begin[0], f"{wire}_{'flit' if shared else 'sync'}"
        index = f"[{class_}]" if self._links.classes > 1 else ""
        return begin[0], f"{wire}_sync_{kind}{index}"

    def _wire(self, begin: NodeName, port: str) -> str:
        """Return how the wires of a link begin."""
        if isinstance(self._spec, MeshSpec):
            assert not isinstance(begin, int)
            if port in ("local", "inject"):
                return "eject" if port == "local" else port
            return f"link_{self._spec.topology.index(begin)}_{int(Port[port.upper()])}"
        if isinstance(self._spec, IrregularSpec):
            if isinstance(begin, int):
                return f"link_{begin}_{port}"
            return f"uplink_{self._spec.topology.index(begin)}"
        assert not isinstance(begin, int)
        return f"link_{begin[0]}_{begin[1]}_{'eject' if port == 'local' else port}"

    def guard(self, link: int, name: str) -> Named:
        """Return node and name of a wire of a link's guards."""
        begin = self._links.names[link]
        return (
            (begin[0], f"{self._wire(*begin)}_{name}") if begin else (None, f"link {link}: {name}")
        )

    def broken(
        self, cycle: int, lane: int, rule: str, seen: int | None = None, wanted: int | None = None
    ) -> Mismatch:
        """Return that a lane breaks a rule, by the place where it begins."""
        link, channel = divmod(lane, self._links.width)
        begin = self._links.names[link] or (None, f"link number {link}")
        return Mismatch(cycle, begin[0], f"{begin[1]}[{channel}]: {rule}", seen, wanted)

    def register(self, bit: int, kind: str) -> Named:
        """Return node and name of a register's bit of ``release``."""
        node, register = divmod(bit, self._spec.port_registers)
        return self._targets[node], f"{kind}[{register}]"


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
    beats_seen, beats_wanted = dict(ours.beats), dict(theirs.beats)
    for i in sorted(beats_seen.keys() | beats_wanted.keys()):
        beats = beats_seen.get(i), beats_wanted.get(i)
        if beats[0] != beats[1]:
            yield Mismatch(
                hardware.cycle, target_names(spec)[i], "m_axis beat", *map(_beat_text, beats)
            )
    yield from _ports_apart(spec, hardware, model)
    if hardware.answer != model.answer:
        yield Mismatch(
            hardware.cycle,
            None,
            "config_error, config_rdata",
            str(hardware.answer),
            str(model.answer),
        )
    network: Any = spec  # a static one, if there is anything
    # A target that only one of them printed changed in that one alone.
    seen_now, wanted_now = dict(hardware.observed or ()), dict(model.observed or ())
    for target in sorted(seen_now.keys() | wanted_now.keys()):
        ours_now, theirs_now = seen_now.get(target), wanted_now.get(target)
        node = target_names(spec)[target]
        if ours_now is None or theirs_now is None:
            yield Mismatch(hardware.cycle, node, "observe (changed)", ours_now, theirs_now)
            continue
        wanted_fields = network.observe.unpack(theirs_now)
        for name, value in network.observe.unpack(ours_now).items():
            if value != wanted_fields[name]:
                signal = f"observe: {name}"
                yield Mismatch(hardware.cycle, node, signal, value, wanted_fields[name])


def _ports_apart(spec: AnySpec, hardware: Line, model: Line) -> Iterator[Mismatch]:
    """Yield what differs of what processes see, where both lines say what has changed."""
    seen_now, wanted_now = dict(hardware.record.ports), dict(model.record.ports)
    for i in sorted(seen_now.keys() | wanted_now.keys()):
        node, ours, theirs = target_names(spec)[i], seen_now.get(i), wanted_now.get(i)
        if ours is None or theirs is None:
            yield Mismatch(hardware.cycle, node, "port (changed)", str(ours), str(theirs))
            continue
        for name, seen, wanted in zip(PortState._fields, ours, theirs, strict=True):
            bits_of = spec.data_bits if name == "result" else 1
            for r in range(spec.port_registers):
                one, other = (word >> r * bits_of & (1 << bits_of) - 1 for word in (seen, wanted))
                if one != other:
                    yield Mismatch(hardware.cycle, node, f"{name}[{r}]", one, other)


def _beat_text(beat: Beat | None) -> str:
    """Return a beat as a mismatch has it."""
    if beat is None:
        return "none"
    flags = ", last" * beat.last + ", ends with its group" * beat.user
    return f"channel {beat.tid}, {beat.data:#x}, keep {beat.keep:#x}{flags}"


def _common(
    word: int, values: Sequence[int], other_word: int, other_values: Sequence[int]
) -> Iterator[tuple[int, int, int]]:
    """Yield bits that both have, with their values where these are known and differ."""
    theirs = dict(zip(bits(other_word), other_values, strict=False))
    for bit, value in zip(bits(word), values, strict=False):
        if bit in theirs and theirs[bit] != value:
            yield bit, value, theirs[bit]


KEPT = 20
"""Mismatches that are kept of a run."""

R = TypeVar("R", bound=Rule)


class Checker:
    """Compares hardware and model line by line, and applies rules to what the hardware did.

    Parameters
    ----------
    spec : AnySpec
        The network.
    rules : sequence of Rule
        In a cycle they are applied in this order.

    Attributes
    ----------
    mismatches : list of Mismatch
        The first, in the order of finding.
    """

    def __init__(self, spec: AnySpec, rules: Sequence[Rule] = ()) -> None:
        self._spec, self.rules = spec, rules
        self.mismatches: list[Mismatch] = []

    def find(self, kind: type[R]) -> R | None:
        """Return the rule of a class, if it is applied."""
        return next((rule for rule in self.rules if isinstance(rule, kind)), None)

    def rule(self, kind: type[R]) -> R:
        """Return the rule of a class, which is applied."""
        rule = self.find(kind)
        assert rule is not None
        return rule

    def compare(self, chunk: Chunk, text: Sequence[str]) -> None:
        """Compare what the hardware's probe wrote in a chunk with what it must; apply the rules.

        Where the hardware's lines are the model's, the lines already read serve for both.
        """
        if chunk.meanings:
            text = [defined(line, chunk.meanings) for line in text]
        if list(text) == chunk.text:
            self.follow(chunk, chunk.lines)
            return
        lines: list[Line] = []
        cycle = chunk.first
        try:
            for words in text:
                lines.append(parse(words, cycle))
                cycle = lines[-1].cycle
        except (ValueError, IndexError):
            last = _key(lines[-1]) if lines else (-1, False)
            before = [line for line in chunk.lines if _key(line) <= last]
            self._explain_difference(lines, before)
            self._unreadable(chunk, text[len(lines)], len(before))
        else:
            self._explain_difference(lines, chunk.lines)
        if not self.mismatches:  # they differ in words alone, which is a difference too
            place = next(i for i, (a, b) in enumerate(zip_longest(text, chunk.text)) if a != b)
            self._unreadable(chunk, text[place] if place < len(text) else "", place)
        self.follow(chunk, lines)

    def follow(self, chunk: Chunk, lines: Sequence[Line]) -> None:
        """Apply the rules to lines of a chunk, and to software's acts in it."""
        for rule in self.rules:
            rule.begin(chunk)
        acts = deque(sorted(chunk.acts, key=_order))
        for line in lines:
            while acts and _order(acts[0]) < (line.cycle, True):
                act = acts.popleft()
                for rule in self.rules:
                    self.report(rule.act(act))
            for rule in self.rules:
                self.report(rule.wires(line))
        for act in acts:
            for rule in self.rules:
                self.report(rule.act(act))

    def close(self, cycle: int, report: Report = None) -> None:
        """Apply the rules to the end of a run, in a cycle in which all is quiet."""
        for rule in self.rules:
            self.report(rule.close(cycle, report))

    def _unreadable(self, chunk: Chunk, text: str, place: int) -> None:
        """Report a line that cannot be read, where ``place`` is the number of the model's."""
        wanted = chunk.lines[place] if place < len(chunk.lines) else Line(chunk.end, EMPTY)
        model = chunk.text[place] if place < len(chunk.text) else ""
        with suppress(ValueError):
            seen = parse_wires(text)
            if seen.cycle == wanted.cycle:
                self.report(explain(self._spec, seen, wires_of(wanted)))
        self.report([Mismatch(wanted.cycle, None, "line of the probe", text, model)])

    def _explain_difference(self, hardware: list[Line], model: list[Line]) -> None:
        """Report the differences, cycle by cycle."""
        ours, theirs = ({_key(line): line for line in lines} for lines in (hardware, model))
        for key in sorted(ours.keys() | theirs.keys()):
            seen = ours.get(key, Line(key[0], EMPTY))
            wanted = theirs.get(key, Line(key[0], EMPTY))
            self.report(explain(self._spec, seen, wanted))

    def report(self, mismatches: Iterable[Mismatch]) -> None:
        """Keep the first mismatches of all."""
        for mismatch in mismatches:
            if len(self.mismatches) < KEPT:
                self.mismatches.append(mismatch)


_ANSWER = re.compile(r"^([0-9a-f]+) .* c[01]:([0-9a-f]+)$")


def defined(line: str, meanings: Mapping[int, int]) -> str:
    """Return a line of the probe without the undefined bits of an answer."""
    answer = _ANSWER.match(line)
    if not answer or (mask := meanings.get(int(answer[1], 16))) is None:
        return line
    return f"{line[: answer.start(2)]}{int(answer[2], 16) & mask:x}"


def _order(act: Act) -> tuple[int, bool]:
    """Return what acts are in order of: cycles, and in each turns before the wires."""
    return act.cycle, not isinstance(act, Turn)


def _key(line: Line) -> tuple[int, bool]:
    """Return what lines are in order of: cycles, and observations after the wires."""
    return line.cycle, line.observed is not None
