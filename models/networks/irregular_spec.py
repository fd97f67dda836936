"""Irregular networks: their keys, and whether ports, links, datelines and tables can be built."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from syncfabric.models.errors import SpecError
from syncfabric.models.layout.engine import WORD_BITS
from syncfabric.models.layout.network import NetworkShape
from syncfabric.models.layout.shape import BY_GRID, NodeShape
from syncfabric.models.networks.explain import show
from syncfabric.models.networks.families import named
from syncfabric.models.networks.grid import Grid
from syncfabric.models.networks.irregular import MOST_SWITCHES, Irregular, Link, Place
from syncfabric.models.networks.kinds import EngineNetwork, EngineSetUp, EngineSpec
from syncfabric.models.networks.long_links import LongLinks, extra_registers
from syncfabric.models.networks.table import Flag, Text, Whole, WholePlace


class IrregularKeys(EngineNetwork):
    """What a network file says of an irregular network however it names the links."""

    kind: Literal["irregular"] = Field(description="The kind of network.")
    ports: Whole = Field(ge=2, le=16, description="Ports of every router.")
    interfaces: Flag = Field(
        default=True, description="Whether nodes are at the far end of a link, or in the routers."
    )
    datelines: tuple[WholePlace, ...] = Field(
        default=(), description="Output ports at which packets go over from channel v to v | 1."
    )
    routing: Literal["table", "dimension", "adaptive", "source"] = Field(
        default="table",
        description="How packets are routed: by tables, by a topology's coordinates in their"
        " order or as links are free, or by the route that each brings.",
    )
    long_links: tuple[LongLinks, ...] = Field(
        default=(), description="Links with more registers than link_registers."
    )
    setup: EngineSetUp = Field(
        default="manager",
        description="Who sets groups up: the config chain, managers' packets, or members.",
    )


TableEntry = Annotated[Whole, Field(ge=-1, le=15)]


class IrregularSpec(IrregularKeys, EngineSpec):
    """An irregular network, its links, nodes and tables written out."""

    switches: Whole = Field(ge=1, le=MOST_SWITCHES, description="How many switches there are.")
    links: tuple[tuple[WholePlace, WholePlace], ...] = Field(
        description="Pairs of [switch, port] that a link joins."
    )
    nodes: tuple[WholePlace, ...] = Field(description="Where the nodes sit, as [switch, port].")
    tables: tuple[tuple[TableEntry, ...], ...] | None = Field(
        default=None, description="Output port by switch and destination switch; own: -1."
    )
    notes: tuple[str, ...] = Field(
        default=(), description="Notes on how the network was made, shown with the plan."
    )
    family: Text = Field(default="", description="The topology that its links are, by name.")

    @model_validator(mode="after")
    def _datelines_have_channels(self) -> Self:
        if self.datelines and self.channels % 2 and self.routing != "adaptive":
            raise SpecError(
                f"network: channels = {self.channels} does not go with datelines, where packets "
                "go over from channel 0 to 1 or from 2 to 3; set channels = 2 or 4"
            )
        by_default = "setup" not in self.model_fields_set
        narrow = by_default and self.flit_bits < WORD_BITS
        for what, wrong, reason in (
            (f"flit_bits = {self.flit_bits}", narrow, "a flit holds a word of a set-up packet"),
            (
                "datelines",
                self.datelines and self.routing not in BY_GRID,
                "set-up packets keep their channel",
            ),
            ('routing = "source"', self.routing == "source", "the tables route set-up packets"),
        ):
            if wrong and self.managed:
                default = ", the default," if by_default else ""
                raise SpecError(
                    f'network: setup = "manager"{default} does not go with {what}: {reason}; '
                    'set setup = "local"'
                )
        if self.setup == "paper":
            for what, wrong, remedy in (
                ('routing = "source"', self.routing == "source", 'set routing = "table"'),
                ("channels = 0", not self.channels, "give it channels"),
                (f"flit_bits = {self.flit_bits}", self.flit_bits < WORD_BITS, "set 32 or more"),
            ):
                if wrong:
                    raise SpecError(
                        f'network: setup = "paper" does not go with {what}: members ask nodes by'
                        f" packets, a word of 32 bits a flit; {remedy}"
                    )
        if self.routing == "source" and not self.channels:
            raise SpecError(
                'network: routing = "source" is for packets, and with channels = 0 there are none; '
                "remove it"
            )
        return self

    @model_validator(mode="after")
    def _is_sound(self) -> Self:
        check_topology(self.topology)
        _check_datelines(self.topology, self.datelines)
        if self.tables is not None:
            _check_tables(self.topology, self.tables)
            if self.routing != "table":
                raise SpecError(
                    f"network: tables do not go with routing = {show(self.routing)}; keep one of"
                    " them"
                )
        if self.routing in BY_GRID and self.grid is None:
            raise SpecError(
                f"network: routing = {show(self.routing)} is for routers with coordinates, those of"
                ' topology = "mesh-…", "torus-…", "ring-…" or "hypercube-…"; set routing = "table"'
            )
        self._check()
        return self

    @cached_property
    def topology(self) -> Irregular:
        """The routers, links and nodes."""
        return Irregular(
            self.ports,
            self.switches,
            self.links,
            self.nodes,
            own=not self.interfaces,
            family=self.family,
            grid=self.grid,
            extra=extra_registers(self.links, self.long_links, self.link_registers, self.grid),
        )

    @model_serializer(mode="wrap")
    def _said(self, whole: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out a family, interfaces and lengths of links that are as usual."""
        values: dict[str, Any] = whole(self)
        usual = {"family": "", "interfaces": True, "long_links": ()}
        left_out = {key for key, value in usual.items() if getattr(self, key) == value}
        return {key: value for key, value in values.items() if key not in left_out}

    @cached_property
    def grid(self) -> Grid | None:
        """The coordinates of its routers, if it is a topology that has them."""
        return named(self.family).grid if self.family else None

    @property
    def planners(self) -> tuple[str, ...]:
        """The planners that groups can name: of routed messages only that which knows any grid."""
        known = super().planners
        if self.transport == "routed":
            return tuple(name for name in known if name not in ("shortest", "cs"))
        return known

    @property
    def rings(self) -> bool:  # type: ignore[override]
        """Whether packets could wait in a cycle: in rings, or by tables of a file."""
        return self.shape.router.wraps or self.tables is not None

    @property
    def routed_by_tables(self) -> bool:
        """Whether routers have tables by which packets are routed."""
        return self.channels > 0 and self.routing == "table"

    @cached_property
    def shape(self) -> NetworkShape:
        """Its numbers, as hardware and golden model are built from; routes are not among them."""
        routed: dict[str, Any] = {}
        if self.routed_by_tables:
            routed = {"routing": "table", "routers": self.switches}
        packets = self.channels or self.routing == "adaptive"  # which is refused without
        if packets and self.routing in BY_GRID and self.grid:
            routed = {"routing": self.routing, "sides": self.grid.sides, "wraps": self.grid.wraps}
        router = NodeShape(
            links=self.ports - (not self.interfaces),
            own=not self.interfaces,
            datelines=bool(self.datelines),
            longest_link=max((some.registers for some in self.long_links), default=0),
            **self._router_keys(),
            **routed,
        )
        return self._shape_of(router, self.datelines)


SHOWN = 4
"""Switches, or parts, that an error names; of more it gives the number."""


def check_topology(network: Irregular) -> None:
    """Refuse links and nodes that do not fit the switches, and a graph that is not connected.

    Nor may the links be others than those of the family that it names, or a node outside its switch
    where nodes are inside.
    """
    if not network.nodes:
        raise SpecError("network: nodes is empty; name at least one [switch, port]")
    switches, ports = range(network.switches), range(network.ports)
    taken: set[Place] = set()
    for a, b in network.links:
        if a[0] == b[0]:
            raise SpecError(
                f"network: link {show((a, b))} leads from switch {a[0]} to itself; "
                "link two switches"
            )
    for place, what, value in _uses(network):
        if place[0] not in switches:
            raise SpecError(
                f"network: {what} {show(value)}: there is no switch {place[0]}; "
                f"switches must be {_span(network.switches)}"
            )
        if place[1] not in ports:
            raise SpecError(
                f"network: {what} {show(value)}: switch {place[0]} has no port {place[1]}; "
                f"ports must be {_span(network.ports)}"
            )
        if place in taken:
            raise SpecError(_used_twice(network, place))
        taken.add(place)
    _check_connected(network)
    if network.family:
        _check_family(network)
    if network.own:
        _check_inside(network)


def _uses(network: Irregular) -> Iterator[tuple[Place, str, Link | Place]]:
    for link in network.links:
        for place in link:
            yield place, "link", link
    for node in network.nodes:
        yield node, "node", node


def _used_twice(network: Irregular, place: Place) -> str:
    users = [f"{what} {show(value)}" for used, what, value in _uses(network) if used == place]
    if users[0] == users[1]:
        return f"network: {users[0]} is listed twice; list it once"
    return (
        f"network: port {place[1]} of switch {place[0]} is used twice, by {users[0]} and "
        f"{users[1]}; give each a port of its own"
    )


def _check_connected(network: Irregular) -> None:
    number = network.parts()
    order = np.argsort(number, kind="stable")
    each = np.split(order, np.flatnonzero(np.diff(number[order])) + 1)
    parts = sorted((part.tolist() for part in each), key=lambda part: (-len(part), part))
    if len(parts) == 1:
        return
    named = [_part(part) for part in parts[:SHOWN]]
    if len(parts) > SHOWN:
        named.append(f"{len(parts) - SHOWN} more")
    raise SpecError(
        f"network: the switches are not connected: {len(parts)} parts have no link between them "
        f"({'; '.join(named)}); link every part to another"
    )


def _part(switches: Sequence[int]) -> str:
    shown = ", ".join(map(str, switches[:SHOWN])) + ", …" * (len(switches) > SHOWN)
    return f"{len(switches)} switch{'es' * (len(switches) > 1)}: {shown}"


def _check_family(network: Irregular) -> None:
    """Refuse other links than those of the topology that a network is said to be."""
    if {*map(frozenset, network.links)} != {*map(frozenset, named(network.family).router_links)}:
        raise SpecError(
            f"network: its links are not those of topology {network.family}; remove that attribute"
        )


def _check_inside(network: Irregular) -> None:
    """Refuse nodes that are not each in its switch."""
    if network.nodes != (inside := network.inside()).nodes:
        raise SpecError(
            "network: interfaces = false puts each node into its switch, at the last port: nodes"
            f" must be {show(inside.nodes)}"
        )


def _check_datelines(network: Irregular, datelines: Sequence[Place]) -> None:
    """Refuse a dateline that is not at a link between switches."""
    for place, count in Counter(datelines).items():
        if network.across(*place) is None:
            raise SpecError(
                f"network: dateline {show(place)} is not at a link; name the [switch, port] by "
                "which packets leave for another switch"
            )
        if count > 1:
            raise SpecError(f"network: dateline {show(place)} is listed twice; list it once")


def _check_tables(network: Irregular, tables: Sequence[Sequence[int]]) -> None:
    """Refuse routing tables that are not square, or lead out of the network.

    Where the routes lead, and whether they can deadlock, is judged when the network is planned.
    """
    count = network.switches
    if len(tables) != count or any(len(row) != count for row in tables):
        raise SpecError(
            f"network: tables must have {count} rows of {count} ports, one for each switch"
        )
    linked = np.zeros((count, network.ports), dtype=bool)
    links = network.links_array
    linked[links[:, 0], links[:, 1]] = linked[links[:, 2], links[:, 3]] = True
    entries = np.array(tables, dtype=np.int64)
    inside = (entries >= 0) & (entries < network.ports)
    leads = inside & linked[np.arange(count)[:, None], np.where(inside, entries, 0)]
    own = np.eye(count, dtype=bool)
    wrong = np.argwhere(np.where(own, entries != -1, ~leads))
    if not len(wrong):
        return
    switch, destination = map(int, wrong[0])
    if switch == destination:
        raise SpecError(f"network: tables: switch {switch} needs no port to itself; write -1")
    ports = np.flatnonzero(linked[switch]).tolist()
    raise SpecError(
        f"network: tables: switch {switch} sends packets for switch {destination} by port "
        f"{entries[switch, destination]}, which leads to no switch; its ports that do are "
        f"{', '.join(map(str, ports))}"
    )


def _span(count: int) -> str:
    return f"0..{count - 1}" if count > 1 else "0"
