"""What has registers, by its number on the config port: nodes, then switches.

On a mesh a router and its node are one, and there are no others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from syncfabric.models.layout.engine import ADDRESS_BITS, COUNTER_ADDRESS, EngineCounter
from syncfabric.models.layout.node import PortWord, RouterWord, Target
from syncfabric.models.messages import (
    LIFE,
    STATUS,
    TRIPPED,
    WIRE_STATUS,
    Counter,
    LinkCounter,
    RegisterWord,
    SwitchWord,
    WireWord,
)
from syncfabric.models.messages.static import STATUS_WORD
from syncfabric.models.networks.spec import (
    AnySpec,
    EngineSpec,
    IrregularSpec,
    MessageSpec,
    StaticSpec,
)
from syncfabric.sim.results import NodeName

__all__ = ["Targets", "targets_of"]

Word = RegisterWord | SwitchWord | WireWord
Fields = tuple[tuple[str, int], ...]
"""Names and widths, from the low bits up."""

NODE_PORTS = 2
"""Ports of a node interface: the switch, the process."""


@dataclass(frozen=True)
class Targets:
    """A network's targets.

    Parameters
    ----------
    names : tuple of NodeName, by target
        As results name them.
    nodes : int
        The first ones, which are nodes, or their interfaces.
    words : tuple of RegisterWord or SwitchWord
        Words of a register of messages, CONTROL first; a static network has no registers.
    observed : tuple of tuple of tuple of (name, width), by target and register
        Fields of each register in ``observe``, from the low bits up: of the registers of messages,
        then of the slots of barrier wires.
    first_slot : int
        Number of the first slot among a target's registers; as many as there are without slots.
    counters : tuple of Counter or LinkCounter
        A target's counters.
    reads : tuple of tuple of (address, Counter), by target
        Words that count events, and as what.
    """

    names: tuple[NodeName, ...]
    nodes: int
    words: tuple[RegisterWord | SwitchWord, ...]
    observed: tuple[tuple[Fields, ...], ...]
    first_slot: int
    counters: tuple[Counter | LinkCounter, ...] = tuple(Counter)
    reads: tuple[tuple[tuple[int, Counter], ...], ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    def split(self, target: int, value: int) -> tuple[list[dict[str, int]], int]:
        """Return what ``observe`` says of each register, and the counters above them."""
        registers = []
        for shown in self.observed[target]:
            fields = {}
            for name, width in shown:
                fields[name] = value & (1 << width) - 1
                value >>= width
            registers.append(fields)
        return registers, value

    def register_words(self, register: int) -> tuple[Word, ...]:
        """Return the words of a register, or a slot, on the config port, CONTROL first."""
        return self.words if register < self.first_slot else tuple(WireWord)

    def words_of(self, target: int) -> str:
        """Return a target as a log spells it: ``x,y``, ``switch,port``, or a switch's number."""
        name = self.names[target]
        return str(name) if isinstance(name, int) else "{},{}".format(*name)


@cache
def targets_of(spec: AnySpec) -> Targets:
    """Return the targets of a network; the loader of a static one has no registers."""
    nodes = tuple(spec.topology.nodes)
    if isinstance(spec, EngineSpec):
        return _of_engines(spec)
    if isinstance(spec, StaticSpec):
        return Targets(
            names=nodes,
            nodes=len(nodes),
            words=(),
            observed=((_static_fields(spec),),) * len(nodes),
            first_slot=1,
        )
    life = tuple((field.name, field.width) for field in LIFE.fields) if spec.managed else ()
    data = (("acc", spec.data_bits), ("result", spec.data_bits))
    trip = tuple((field.name, field.width) for field in TRIPPED.fields) if spec.watched else ()
    counters = (*Counter, *(LinkCounter if spec.guarded else ()))
    slots = (_slot_fields(spec),) * (spec.port_registers - spec.message_registers)
    if isinstance(spec, IrregularSpec):
        node, switch = (
            (("arrived", k), ("fired", 1), ("pending", k), ("up", 1), *life, *trips, *data)
            for k, trips in ((NODE_PORTS, trip), (spec.ports, ()))
        )
        return Targets(
            names=nodes + tuple(range(spec.switches)),
            nodes=len(nodes),
            words=tuple(SwitchWord),
            observed=((node,) * spec.message_registers + slots,) * len(nodes)
            + ((switch,) * spec.message_registers + slots,) * spec.switches,
            first_slot=spec.message_registers,
            counters=counters,
        )
    status = (*((field.name, field.width) for field in STATUS.fields), *life, *trip, *data)
    return Targets(
        names=nodes,
        nodes=len(nodes),
        words=tuple(RegisterWord),
        observed=((status,) * spec.message_registers + slots,) * len(nodes),
        first_slot=spec.message_registers,
        counters=counters,
    )


def _of_engines(spec: EngineSpec) -> Targets:
    """Return the targets of a network of engines, whose state no bench observes."""
    shape, nodes = spec.shape, tuple(spec.topology.nodes)
    router = [
        (
            Target.ENGINE << ADDRESS_BITS | EngineCounter.OVERFLOW + COUNTER_ADDRESS,
            Counter.OVERFLOW,
        ),
        (Target.ENGINE << ADDRESS_BITS | EngineCounter.UNEXPECTED + COUNTER_ADDRESS, Counter.STRAY),
        (
            Target.ENGINE << ADDRESS_BITS | EngineCounter.REFUSED_COMMAND + COUNTER_ADDRESS,
            Counter.REFUSED_WRITE,
        ),
    ]
    if spec.channels:
        router.append((Target.ROUTER << ADDRESS_BITS | RouterWord.OVERFLOW, Counter.OVERFLOW))
    if spec.managed or spec.wires:
        router.append((Target.ROUTER << ADDRESS_BITS | RouterWord.UNEXPECTED, Counter.STRAY))
    port = (Target.PORT << ADDRESS_BITS | PortWord.REFUSED_ARRIVE, Counter.REFUSED_ARRIVE)
    if not shape.interfaces:
        reads = ((*router, port),) * len(nodes)
        return Targets(nodes, len(nodes), (), ((),) * len(nodes), 1, (), reads)
    names = nodes + tuple(range(shape.routers))
    reads = ((port,),) * len(nodes) + (tuple(router),) * shape.routers
    return Targets(names, len(nodes), (), ((),) * len(names), 1, (), reads)


def _slot_fields(spec: MessageSpec) -> Fields:
    status = ((field.name, field.width) for field in WIRE_STATUS.fields)
    return (*status, ("gathered", spec.data_bits), ("result", spec.data_bits))


def _static_fields(spec: StaticSpec) -> Fields:
    """Return what ``observe`` of a static network's node shows below its counters."""
    places = dict.fromkeys(("east", "north", "west", "south"), spec.switch_buffer)
    places |= {"inject": spec.injection_buffer, "core": spec.core_buffer}
    state = [(field.name, field.width) for field in STATUS_WORD.fields if field.name != "done"]
    return (*((name, count.bit_length()) for name, count in places.items()), *state)
