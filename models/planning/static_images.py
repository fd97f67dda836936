"""What software writes to set the groups of a static network up (section R5 of its contract)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from syncfabric.models.messages.static import INIT, ROLE_WORD, LoaderWord, Role, StaticWord
from syncfabric.models.networks.mesh import Node, Port
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.route_chain import Output, chain_words

__all__ = [
    "SETTLING",
    "StaticGroup",
    "StaticWrite",
    "role_of",
    "route_writes",
    "static_writes",
]

SETTLING = 3
"""Cycles from the STROBE until a node may be told its role."""


class StaticGroup(Protocol):
    """What set-up has to know of a planned group."""

    @property
    def members(self) -> Sequence[Node]:
        """Its members."""

    @property
    def root(self) -> Node:
        """The member that begins."""

    @property
    def flits(self) -> int | None:
        """Flits of an episode of a tree; None of a ring."""

    def routes(self) -> Mapping[Output, Port]:
        """Return what each output of its switches selects."""


class StaticWrite(NamedTuple):
    """A word to write: the target's number on the config port, and the address."""

    target: int
    address: int
    data: int


def role_of(group: StaticGroup, node: Node) -> Role:
    """Return what a member's agent has to do."""
    if len(group.members) == 1:
        return Role.ALONE
    ring, tree = (Role.RING, Role.TREE) if node != group.root else (Role.RING_ROOT, Role.TREE_ROOT)
    return ring if group.flits is None else tree


def route_writes(
    network: StaticSpec, routes: Mapping[Output, Port], flush: Collection[Output]
) -> Iterator[StaticWrite]:
    """Yield what loads all routes of a network, and flushes some outputs."""
    loader = network.layout.loader
    for word in chain_words(network, routes, flush):
        yield StaticWrite(loader, LoaderWord.SHIFT, word)
    yield StaticWrite(loader, LoaderWord.STROBE, 0)


def static_writes(
    network: StaticSpec,
    groups: Sequence[StaticGroup],
    beside: Mapping[Output, Port] | None = None,
) -> Iterator[StaticWrite]:
    """Yield what sets all groups up, from reset; the roots begin last.

    Each write waits for the answer of the one before, and the first after the STROBE comes at least
    `SETTLING` cycles after it.

    Parameters
    ----------
    network : StaticSpec
    groups : sequence of StaticGroup
    beside : mapping of output to input port, optional
        Routes of further groups, whose members' core ports are left to software.
    """
    index = network.topology.index
    routes = {output: port for group in groups for output, port in group.routes().items()}
    routes |= beside or {}
    flush = {*routes, *((*node, Port.LOCAL) for group in groups for node in group.members)}
    yield from route_writes(network, routes, flush)
    for group in groups:
        for node in group.members:
            word = ROLE_WORD.pack({"role": role_of(group, node), "flits": group.flits or 0})
            yield StaticWrite(index(node), StaticWord.ROLE, word)
    for group in groups:
        if len(group.members) > 1:
            yield StaticWrite(index(group.root), StaticWord.COMMAND, INIT)
