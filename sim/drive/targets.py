"""What the config port reaches, by number: nodes, then routers; and the words there that count.

On a mesh a router and its node are one, and there are no others.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from syncfabric.models.layout.engine import ADDRESS_BITS, COUNTER_ADDRESS, EngineCounter
from syncfabric.models.layout.network import PortWord, RouterWord, Target
from syncfabric.models.layout.setup import ManagerWord
from syncfabric.models.messages import COUNTER_BASE, COUNTER_BITS, Counter
from syncfabric.models.messages.static import STATUS_WORD
from syncfabric.models.networks.spec import AnySpec, MessageSpec, StaticSpec
from syncfabric.sim.results import NodeName

__all__ = ["counters_of", "name_of", "observed", "target_names"]


class CountWord(NamedTuple):
    """A word that counts events.

    Attributes
    ----------
    place : (int, int)
        Target and address.
    name : str
        The part that counts, and the word: ``engine OVERFLOW``; of a static network, the word.
    kind : Counter or None
        The counter of results that it is a part of.
    """

    place: tuple[int, int]
    name: str
    kind: Counter | None


@cache
def target_names(spec: AnySpec) -> tuple[NodeName, ...]:
    """Return the targets of a network as results name them."""
    nodes = tuple(spec.topology.nodes)
    if isinstance(spec, StaticSpec) or not spec.shape.interfaces:
        return nodes
    return (*nodes, *range(spec.shape.routers))


def name_of(spec: AnySpec, target: int) -> str:
    """Return a target as a log spells it: ``x,y``, ``switch,port``, or a switch's number."""
    name = target_names(spec)[target]
    return str(name) if isinstance(name, int) else "{},{}".format(*name)


@cache
def counters_of(spec: AnySpec) -> tuple[CountWord, ...]:
    """Return all counters of a network, target by target."""
    if isinstance(spec, StaticSpec):
        return tuple(
            CountWord((node, COUNTER_BASE + counter), counter.name, counter)
            for node in range(len(spec.topology.nodes))
            for counter in Counter
        )
    return tuple(_of_engines(spec))


_Word = tuple[Target, int, str, Counter | None]


def _of_engines(spec: MessageSpec) -> Iterator[CountWord]:
    shape = spec.shape
    kinds = Counter.OVERFLOW, Counter.STRAY, Counter.REFUSED_WRITE
    engine: list[_Word] = [
        (Target.ENGINE, COUNTER_ADDRESS + word, word.name, kind)
        for word, kind in zip(EngineCounter, kinds, strict=True)
    ]
    links: list[_Word] = []
    if spec.channels:
        full = RouterWord.OVERFLOW
        links.append((Target.ROUTER, full, full.name, Counter.OVERFLOW))
    if spec.guarded:
        checks = RouterWord.CORRUPT, RouterWord.LOST
        links += [(Target.ROUTER, word, word.name, None) for word in checks]
    router = engine + links
    if spec.managed or spec.wires:
        stray = RouterWord.UNEXPECTED
        router.append((Target.ROUTER, stray, stray.name, Counter.STRAY))
    refused = PortWord.REFUSED_ARRIVE
    node: list[_Word] = [(Target.PORT, refused, refused.name, Counter.REFUSED_ARRIVE)]
    if shape.interfaces and spec.guarded:
        node += [(part, word, name, None) for part, word, name, _ in links]
    manager: _Word = (Target.MANAGER, ManagerWord.UNEXPECTED, ManagerWord.UNEXPECTED.name, None)
    for target in range(shape.targets):
        words = [*router] if target >= shape.target_of(0) else []
        words += node if target < len(shape.nodes) else []
        words += [manager] if target in shape.managers else []
        for part, word, name, kind in words:
            place = target, part << ADDRESS_BITS | word
            yield CountWord(place, f"{part.name.lower()} {name}", kind)


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
