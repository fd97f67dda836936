"""The register map of a network's config port: a block for each target, by their numbers.

Source: docs/registers.md; docs/microarchitecture.md, 4.5, I4, I5, S5. Bits of a word that a
register does not keep are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syncfabric.models.messages import CONFIG_ADDRESS_BITS, REGISTER_WORDS
from syncfabric.models.networks.spec import (
    EngineSpec,
    IrregularSpec,
    NetworkSpec,
    RegisterSpec,
    StaticSpec,
)
from syncfabric.models.register_map.engines import engine_map
from syncfabric.models.register_map.parts import Block, Part, Word
from syncfabric.models.register_map.places import (
    counter_words,
    fence_words,
    manager_words,
    slot_words,
)
from syncfabric.models.register_map.registers import register_words
from syncfabric.models.register_map.static import agent_words, loader_words

__all__ = ["TARGET_WORDS", "config_map"]

TARGET_WORDS = 1 << CONFIG_ADDRESS_BITS
"""Words from one target to the next, where the number of the target is the upper part."""


def config_map(spec: NetworkSpec) -> Block:
    """Return the map of all targets.

    Target t begins at t times ``TARGET_WORDS``: an address is that of the config port, with
    ``config_node`` above it.
    """
    network = spec.network
    if isinstance(network, EngineSpec):
        blocks = engine_map(network.shape)
    else:
        blocks = _static(network) if isinstance(network, StaticSpec) else _targets(network)
    about = f"Config port of network {spec.name}: the upper part of an address is config_node"
    return Block(f"{spec.module}_config", 0, about, tuple(blocks))


def _static(network: StaticSpec) -> Iterator[Block]:
    nodes, words = len(network.topology.nodes), (*agent_words(network.watchdog), *counter_words())
    yield _several("node", 0, nodes, "A switch with its node's agent", words)
    yield Block("loader", nodes * TARGET_WORDS, "Loader of routes", loader_words(network.layout))


def _targets(network: RegisterSpec) -> Iterator[Block]:
    """Yield the nodes, managers apart, and then switches where they are targets of their own."""
    nodes = len(network.topology.nodes)
    irregular = isinstance(network, IrregularSpec)
    links, about = (1, "A node interface") if irregular else (4, "A node")
    parts = _parts(network, links, process=True)
    managers = sorted(network.topology.index(node) for node in network.manager_nodes)
    managed = _parts(network, links, process=True, others=manager_words())
    first = 0
    for manager in (*managers, nodes):
        if manager > first:
            name = f"node_{first}" if managers else "node"
            yield _several(name, first, manager - first, about, parts)
        if manager < nodes:
            at = manager * TARGET_WORDS
            yield Block(f"manager_{manager}", at, f"{about}, with a manager", managed)
        first = manager + 1
    if isinstance(network, IrregularSpec):
        of_switch = _parts(network, network.ports, process=False)
        yield _several("switch", nodes, network.switches, "A switch", of_switch)


def _several(name: str, first: int, count: int, about: str, parts: tuple[Part, ...]) -> Block:
    return Block(name, first * TARGET_WORDS, about, parts, count, TARGET_WORDS)


def _parts(
    network: RegisterSpec, links: int, *, process: bool, others: Sequence[Word] = ()
) -> tuple[Part, ...]:
    """Return what a target has: registers, slots, counters, a manager, groups in memory."""
    parts: list[Part] = []
    ports = links + process
    if network.has_messages:
        words = register_words(network, ports, process=process)
        count = network.message_registers
        parts.append(Block("registers", 0, "Barrier registers", words, count, REGISTER_WORDS))
    if network.wire_plane:
        slots = slot_words(network.wire_plane, links, process=process)
        at, count = network.first_slot * REGISTER_WORDS, network.wire_plane.slots
        parts.append(Block("slots", at, "Slots of barrier wires", slots, count, REGISTER_WORDS))
    parts += counter_words(guarded=network.guarded)
    parts += [*(fence_words(links) if network.guarded else ()), *others]
    return tuple(parts)
