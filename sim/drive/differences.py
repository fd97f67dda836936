"""Differences of two traces, by the names of wires in the Verilog and their places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syncfabric.models.golden.record import GuardWires
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import (
    AnySpec,
    IrregularSpec,
    MeshSpec,
    StaticSpec,
)
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.drive.targets import observed, target_names
from syncfabric.sim.drive.trace import Line, bits
from syncfabric.sim.results import Mismatch, NodeName

__all__ = ["Names", "explain"]

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
        ours_now, theirs_now = seen_now.get(target), wanted_now.get(target)
        node = target_names(spec)[target]
        if ours_now is None or theirs_now is None:
            yield Mismatch(hardware.cycle, node, "observe (changed)", ours_now, theirs_now)
            continue
        wanted_fields = observed(spec, theirs_now)
        for name, value in observed(spec, ours_now).items():
            if value != wanted_fields[name]:
                signal = f"observe: {name}"
                yield Mismatch(hardware.cycle, node, signal, value, wanted_fields[name])


def _common(
    word: int, values: Sequence[int], other_word: int, other_values: Sequence[int]
) -> Iterator[tuple[int, int, int]]:
    """Yield bits that both have, with their values where these are known and differ."""
    theirs = dict(zip(bits(other_word), other_values, strict=False))
    for bit, value in zip(bits(word), values, strict=False):
        if bit in theirs and theirs[bit] != value:
            yield bit, value, theirs[bit]
