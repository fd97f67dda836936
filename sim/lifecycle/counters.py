"""The counters of a network, by their place on the config port."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from syncfabric.models.layout.engine import ADDRESS_BITS, COUNTER_ADDRESS, EngineCounter
from syncfabric.models.layout.network import PortWord, RouterWord, Target
from syncfabric.models.layout.setup import ManagerWord
from syncfabric.models.messages import COUNTER_BASE, Counter
from syncfabric.models.networks.spec import AnySpec, MessageSpec, StaticSpec

__all__ = ["CounterPlace", "counters_of"]


class CounterPlace(NamedTuple):
    """A counter.

    Attributes
    ----------
    name : str
        The part that counts, and the word: ``engine OVERFLOW``; of a static network, the word.
    place : (int, int)
        Target and address.
    """

    name: str
    place: tuple[int, int]


def counters_of(network: AnySpec) -> Iterator[CounterPlace]:
    """Yield all counters, target by target."""
    if isinstance(network, StaticSpec):
        for node in range(len(network.topology.nodes)):
            for counter in Counter:
                yield CounterPlace(counter.name, (node, COUNTER_BASE + counter))
    else:
        yield from _of_engines(network)


def _of_engines(network: MessageSpec) -> Iterator[CounterPlace]:
    shape = network.shape
    words = [RouterWord.OVERFLOW] if network.channels or network.guarded else []
    words += [RouterWord.CORRUPT, RouterWord.LOST] if network.guarded else []
    of_router = [(Target.ROUTER, word, word.name) for word in words]
    router: list[tuple[Target, int, str]] = [
        (Target.ENGINE, COUNTER_ADDRESS + each, each.name) for each in EngineCounter
    ]
    router += of_router
    if network.managed:
        router.append((Target.ROUTER, RouterWord.UNEXPECTED, RouterWord.UNEXPECTED.name))
    node: list[tuple[Target, int, str]] = [
        (Target.PORT, PortWord.REFUSED_ARRIVE, PortWord.REFUSED_ARRIVE.name)
    ]
    if shape.interfaces and network.guarded:
        node += of_router
    manager = (Target.MANAGER, ManagerWord.UNEXPECTED, ManagerWord.UNEXPECTED.name)
    for target in range(shape.targets):
        parts = [*node] if target < len(shape.nodes) else []
        parts += router if target >= shape.target_of(0) else []
        parts += [manager] if target in shape.managers else []
        for part, word, name in parts:
            yield CounterPlace(f"{part.name.lower()} {name}", (target, part << ADDRESS_BITS | word))
