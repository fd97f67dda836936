"""A component as RTLIL, a text for each *distinct* component that it is made of.

Amaranth converts a design as one hierarchy: a module an instance, with whatever bits cross its
border as ports. Here the hierarchy is taken apart at its components before that: each is converted
alone, its signature and the signals that it shares with others are its ports, and equal ones are
one block.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from amaranth.back import rtlil
from amaranth.hdl import Fragment, Signal
from amaranth.hdl import _nir as nir
from amaranth.hdl._ast import SignalDict, SignalSet, ValueCastable
from amaranth.hdl._cd import ClockDomain
from amaranth.hdl._ir import Design, Instance, PortDirection, build_netlist
from amaranth.hdl._mem import MemoryInstance
from amaranth.lib import wiring

from syncfabric.sim.emit.variables import name_signals


@dataclass(frozen=True)
class Block:
    """A distinct component.

    Parameters
    ----------
    name : str
        Of its module: the class in lower case and a digest of the text.
    text : str
        RTLIL of one module, in which instances of other blocks are cells of their names.
    component : Component
        One of those that it stands for.
    outputs : dict
        Names of outputs of the modules that it has instances of.
    """

    name: str
    text: str = field(repr=False)
    component: wiring.Component
    outputs: dict[str, frozenset[str]] = field(repr=False)


def blocks_of(component: wiring.Component, name: str) -> list[Block]:
    """Take a component apart.

    Parameters
    ----------
    component : Component
        Its own reset, if it has a member ``reset``, replaces that of the clock domain.
    name : str
        Of its own block.

    Returns
    -------
    list of Block
        Each after those that it has instances of; the last one is ``component``.
    """
    reset_less = "reset" in component.signature.members
    fragment = Fragment.get(component, None)
    design = fragment.prepare(
        _members(component),
        hierarchy=(name,),
        missing_domain=lambda domain: ClockDomain(domain, reset_less=reset_less),
    )
    for info in design.fragments.values():
        name_signals(info.used_signals)
    blocks: dict[str, Block] = {}
    _Cutter(design, blocks).block(design.fragment, component, name)
    return list(blocks.values())


def _members(component: wiring.Component) -> dict[str, tuple[Signal, PortDirection]]:
    """Return the ports of a component's signature by name."""
    ports: dict[str, tuple[Signal, PortDirection]] = {}
    for path, member, value in component.signature.flatten(component):
        signal = value.as_value() if isinstance(value, ValueCastable) else value
        if len(signal):
            flow = PortDirection.Input if member.flow == wiring.In else PortDirection.Output
            ports["__".join(map(str, path))] = signal, flow
    return ports


_SOURCES = re.compile(r"^ *attribute \\src .*\n", re.MULTILINE)

Ports = dict[str, tuple[Signal, PortDirection]]


class _Cutter:
    """Takes a prepared design apart, from the leaves up."""

    def __init__(self, design: Design, blocks: dict[str, Block]) -> None:
        self._design = design
        self._blocks = blocks

    def block(
        self, fragment: Fragment, component: wiring.Component, name: str | None
    ) -> tuple[str, Ports]:
        """Add the block of a fragment; return its name and ports."""
        driven = SignalSet()
        self._cut(fragment, driven)
        members = _members(component)
        ports = self._shared(fragment, SignalSet(s for s, _ in members.values()), driven)
        assert not ports.keys() & members.keys(), ports.keys() & members.keys()
        kind = _snake(type(component).__name__)
        text = _rtlil(fragment, kind, ports | members)
        if idle := {
            port
            for port, (_, flow) in ports.items()
            if flow is PortDirection.Input and f"\\{port} [" not in text
        }:
            ports = {port: end for port, end in ports.items() if port not in idle}
            text = _rtlil(fragment, kind, ports | members)
        digest = hashlib.sha256(_SOURCES.sub("", text).encode()).hexdigest()
        name = name or f"{kind}__{digest[:10]}"
        outputs = {
            part.type: frozenset(port for port, (_, flow) in part.ports.items() if flow == "o")
            for part, _, _ in fragment.subfragments
            if isinstance(part, Instance)
        }
        self._blocks.setdefault(name, Block(name, text, component, outputs))
        return name, ports | members

    def _shared(self, fragment: Fragment, known: SignalSet, driven: SignalSet) -> Ports:
        """Return the signals, beside those known, that a fragment shares with what is outside."""
        infos, ports = self._design.fragments, {}
        given = SignalSet(signal for _, signal, _ in self._design.ports)
        for signal in infos[fragment].used_signals:
            outside = infos[self._design.signal_lca[signal]].depth < infos[fragment].depth
            if (outside or signal in given) and signal not in known and len(signal):
                flow = PortDirection.Output if signal in driven else PortDirection.Input
                assert signal.name not in ports, signal.name
                ports[signal.name] = signal, flow
        return ports

    def _cut(self, fragment: Fragment, driven: SignalSet) -> None:
        """Make components in a fragment instances of their blocks; take in what is none."""
        parts, fragment.subfragments = fragment.subfragments, []
        for part, name, where in parts:
            origins = part.origins or ()
            component = next((o for o in origins if isinstance(o, wiring.Component)), None)
            if isinstance(part, Instance | MemoryInstance):
                driven.update(_outputs(part))
                fragment.add_subfragment(part, name, src_loc=where)
            elif component is not None:
                module, ports = self.block(part, component, None)
                ends = [(_KIND[flow], port, signal) for port, (signal, flow) in ports.items()]
                joined = Instance(module, *ends)
                driven.update(s for s, flow in ports.values() if flow is PortDirection.Output)
                fragment.add_subfragment(joined, name, src_loc=where)
            else:
                self._cut(part, driven)
                for domain, statements in part.statements.items():
                    fragment.add_statements(domain, *statements)
                fragment.subfragments += part.subfragments
        for statements in fragment.statements.values():
            driven.update(statements._lhs_signals())


CONSTANTS = {0: "0", 1: "1"}
_KIND = {PortDirection.Input: "i", PortDirection.Output: "o"}


def _rtlil(fragment: Fragment, name: str, ports: Ports) -> str:
    listed = [(port, signal, flow) for port, (signal, flow) in ports.items()]
    netlist = build_netlist(Design(fragment, listed, hierarchy=(name,)))
    builder, (module,) = rtlil.Design(emit_src=True), netlist.modules
    made = builder.module(name, src_loc=module.src_loc)
    made.attribute("top", 1)
    empty = rtlil.EmptyModuleChecker(netlist)
    _Emitter(made, netlist, module, SignalDict(), empty_checker=empty).emit()
    return str(builder)


class _Emitter(rtlil.ModuleEmitter):
    """Writes what Amaranth writes, in less time: a memory's contents may be a million bits."""

    def emit_memory(self, cell_idx: int, cell: nir.Memory) -> None:
        mask = (1 << cell.width) - 1
        bits = "".join(f"{row & mask:0{cell.width}b}" for row in reversed(cell.init))
        self.builder.cell(
            "$meminit_v2",
            ports={
                "ADDR": self.sigspec(),
                "DATA": f"{len(bits)}'{bits}",
                "EN": self.sigspec(nir.Value.ones(cell.width)),
            },
            parameters={
                "MEMID": self.memories[cell_idx].memid,
                "ABITS": 0,
                "WIDTH": cell.width,
                "WORDS": cell.depth,
                "PRIORITY": 0,
            },
            src_loc=cell.src_loc,
        )

    def sigspec(self, *parts: nir.Net | Iterable[nir.Net]) -> str:
        bits = [bit for part in parts for bit in ((part,) if isinstance(part, nir.Net) else part)]
        chunks: list[str] = []
        at = 0
        while at < len(bits):
            begin, first = at, bits[at]
            if first in CONSTANTS:
                while at < len(bits) and bits[at] in CONSTANTS:
                    at += 1
                value = "".join(CONSTANTS[bit] for bit in reversed(bits[begin:at]))
                chunks.append(f"{at - begin}'{value}")
                continue
            wire, low = self.nets[first]
            while at < len(bits) and self.nets.get(bits[at]) == (wire, low + at - begin):
                at += 1
            high = low + at - begin - 1
            chunks.append(f"{wire.name} [{high}:{low}]" if high > low else f"{wire.name} [{low}]")
        return chunks[0] if len(chunks) == 1 else f"{{ {' '.join(reversed(chunks))} }}"


def _outputs(part: Fragment) -> Iterator[Signal]:
    """Yield signals that an instance or a memory drives."""
    if isinstance(part, MemoryInstance):
        for port in part._read_ports:
            yield from port._data._lhs_signals()
    else:
        for value, flow in part.ports.values():
            if flow == "o":
                yield from value._lhs_signals()


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("_")
