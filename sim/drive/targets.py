"""What the config port reaches, by number: nodes, then routers.

On a mesh a router and its node are one, and there are no others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from syncfabric.models.layout.engine import ADDRESS_BITS, COUNTER_ADDRESS, EngineCounter
from syncfabric.models.layout.network import PortWord, RouterWord, Target
from syncfabric.models.messages import COUNTER_BASE, COUNTER_BITS, Counter
from syncfabric.models.messages.static import STATUS_WORD
from syncfabric.models.networks.spec import AnySpec, MessageSpec, StaticSpec
from syncfabric.sim.results import NodeName

__all__ = ["Targets", "observed", "targets_of"]


@dataclass(frozen=True)
class Targets:
    """A network's targets.

    Parameters
    ----------
    names : tuple of NodeName, by target
        As results name them.
    reads : tuple of tuple of (address, Counter), by target
        Words that count events, and as what.
    """

    names: tuple[NodeName, ...]
    reads: tuple[tuple[tuple[int, Counter], ...], ...]

    def words_of(self, target: int) -> str:
        """Return a target as a log spells it: ``x,y``, ``switch,port``, or a switch's number."""
        name = self.names[target]
        return str(name) if isinstance(name, int) else "{},{}".format(*name)


@cache
def targets_of(spec: AnySpec) -> Targets:
    """Return the targets of a network."""
    if isinstance(spec, StaticSpec):
        nodes = tuple(spec.topology.nodes)
        counts = tuple((COUNTER_BASE + counter, counter) for counter in Counter)
        return Targets(nodes, (counts,) * len(nodes))
    return _of_engines(spec)


def _of_engines(spec: MessageSpec) -> Targets:
    """Return the targets of a network of engines."""
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
        return Targets(nodes, reads)
    names = nodes + tuple(range(shape.routers))
    reads = ((port,),) * len(nodes) + (tuple(router),) * shape.routers
    return Targets(names, reads)


def observed(spec: AnySpec, value: int) -> dict[str, int]:
    """Return the fields of an ``observe``, which only static networks' nodes have, by name."""
    assert isinstance(spec, StaticSpec)
    places = dict.fromkeys(("east", "north", "west", "south"), spec.switch_buffer)
    places |= {"inject": spec.injection_buffer, "core": spec.core_buffer}
    widths = {name: count.bit_length() for name, count in places.items()}
    widths |= {field.name: field.width for field in STATUS_WORD.fields if field.name != "done"}
    widths |= {counter.name: COUNTER_BITS for counter in Counter}
    fields = {}
    for name, width in widths.items():  # from the low bits up
        fields[name] = value & (1 << width) - 1
        value >>= width
    return fields
