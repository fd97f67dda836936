"""What the config port reaches, by number: nodes, then routers; and the words there that count.

On a mesh a router and its node are one, and there are no others.
"""

from collections.abc import Iterator
from functools import cache, singledispatch
from typing import Any, NamedTuple

from syncfabric.models.layout.network import NetworkShape
from syncfabric.models.layout.words import (
    Target,
    config_address,
    part_of,
)
from syncfabric.models.messages.registers import COUNTER_BASE, Counter
from syncfabric.models.networks.spec import AnySpec, StaticSpec
from syncfabric.sim.spread import NodeName


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
    return (*spec.topology.nodes, *spec.outside)


def name_of(spec: AnySpec, target: int) -> str:
    """Return a target as a log spells it: ``x,y``, ``switch,port``, or a switch's number."""
    name = target_names(spec)[target]
    return str(name) if isinstance(name, int) else "{},{}".format(*name)


@cache
def counters_of(spec: AnySpec) -> tuple[CountWord, ...]:
    """Return all counters of a network, target by target."""
    return tuple(_counters(spec))


_KINDS = {"UNEXPECTED": Counter.STRAY, "REFUSED_COMMAND": Counter.REFUSED_WRITE}


@singledispatch
def _counters(spec: Any) -> Iterator[CountWord]:
    shape: NetworkShape = spec.shape
    for target in range(shape.targets):
        for word in filter(lambda word: word.counts, shape.words_at(target)):
            part, kind = part_of(word), Counter.__members__.get(word.name, _KINDS.get(word.name))
            if part is Target.MANAGER or (part is Target.ROUTER and target < shape.target_of(0)):
                kind = None
            name = f"{part.name.lower()} {word.name}"
            yield CountWord((target, config_address(word)), name, kind)


@_counters.register
def _(spec: StaticSpec) -> Iterator[CountWord]:
    for node in range(len(spec.topology.nodes)):
        for counter in Counter:
            yield CountWord((node, COUNTER_BASE + counter), counter.name, counter)
