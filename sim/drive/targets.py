"""What has registers, by its number on the config port: nodes, then switches.

On a mesh a router and its node are one, and there are no others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from syncfabric.models.messages import LIFE, STATUS, RegisterWord, SwitchWord
from syncfabric.models.messages.static import STATUS_WORD
from syncfabric.models.networks.spec import (
    AnySpec,
    IrregularSpec,
    StaticSpec,
)
from syncfabric.sim.results import NodeName

__all__ = ["Targets", "targets_of"]

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
        Words of a register on the config port, CONTROL first; a static network has no registers.
    registers : int
        Of each target.
    observed : tuple of tuple of (name, width), by target
        Fields of a register in ``observe``, from the low bits up.
    """

    names: tuple[NodeName, ...]
    nodes: int
    words: tuple[RegisterWord | SwitchWord, ...]
    registers: int
    observed: tuple[tuple[tuple[str, int], ...], ...]

    def __len__(self) -> int:
        return len(self.names)

    def split(self, target: int, value: int) -> tuple[list[dict[str, int]], int]:
        """Return what ``observe`` says of each register, and the counters above them."""
        registers = []
        for _ in range(self.registers):
            fields = {}
            for name, width in self.observed[target]:
                fields[name] = value & (1 << width) - 1
                value >>= width
            registers.append(fields)
        return registers, value

    def words_of(self, target: int) -> str:
        """Return a target as a log spells it: ``x,y``, ``switch,port``, or a switch's number."""
        name = self.names[target]
        return str(name) if isinstance(name, int) else "{},{}".format(*name)


@cache
def targets_of(spec: AnySpec) -> Targets:
    """Return the targets of a network; the loader of a static one has no registers."""
    nodes = tuple(spec.topology.nodes)
    if isinstance(spec, StaticSpec):
        return Targets(
            names=nodes,
            nodes=len(nodes),
            words=(),
            registers=1,
            observed=(_static_fields(spec),) * len(nodes),
        )
    life = tuple((field.name, field.width) for field in LIFE.fields) if spec.managed else ()
    data = (*life, ("acc", spec.data_bits), ("result", spec.data_bits))
    if isinstance(spec, IrregularSpec):
        node, switch = (
            (("arrived", k), ("fired", 1), ("pending", k), ("up", 1), *data)
            for k in (NODE_PORTS, spec.ports)
        )
        return Targets(
            names=nodes + tuple(range(spec.switches)),
            nodes=len(nodes),
            words=tuple(SwitchWord),
            registers=spec.barrier_registers,
            observed=(node,) * len(nodes) + (switch,) * spec.switches,
        )
    status = (*((field.name, field.width) for field in STATUS.fields), *data)
    return Targets(
        names=nodes,
        nodes=len(nodes),
        words=tuple(RegisterWord),
        registers=spec.barrier_registers,
        observed=(status,) * len(nodes),
    )


def _static_fields(spec: StaticSpec) -> tuple[tuple[str, int], ...]:
    """Return what ``observe`` of a static network's node shows below its counters."""
    places = dict.fromkeys(("east", "north", "west", "south"), spec.switch_buffer)
    places |= {"inject": spec.injection_buffer, "core": spec.core_buffer}
    state = [(field.name, field.width) for field in STATUS_WORD.fields if field.name != "done"]
    return (*((name, count.bit_length()) for name, count in places.items()), *state)
