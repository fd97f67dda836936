"""The table ``[network]`` of an irregular network, and the links and nodes that it stands for."""

from __future__ import annotations

import csv
import itertools
from importlib.resources.abc import Traversable
from typing import Any, Self

from pydantic import ConfigDict, Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from syncfabric.models.errors import SpecError
from syncfabric.models.files import text_beside
from syncfabric.models.layout.shape import BY_GRID
from syncfabric.models.networks.chiplets import Bridge, Chiplet, Package, packaged
from syncfabric.models.networks.explain import show
from syncfabric.models.networks.families import named
from syncfabric.models.networks.graph import read_graph
from syncfabric.models.networks.irregular import MOST_SWITCHES, Irregular
from syncfabric.models.networks.irregular_spec import IrregularKeys, IrregularSpec
from syncfabric.models.networks.long_links import places_for
from syncfabric.models.networks.random_network import RandomNetwork, draw_network
from syncfabric.models.networks.table import Flag, Text, Whole, WholePlace

__all__ = ["IrregularTable", "read_routes"]

COLUMNS = ("switch", "destination", "port")


def read_routes(folder: Traversable, name: str, network: Irregular) -> tuple[tuple[int, ...], ...]:
    """Read by which port each switch sends packets for each other one.

    Parameters
    ----------
    folder : Traversable
        The network file's own.
    name : str
        The path from there.
    network : Irregular
        For which the tables are.

    Returns
    -------
    tuple of tuple of int, shape (switches, switches)
        Output port by switch and destination; -1 for a switch itself.

    Raises
    ------
    SpecError
        The file cannot be read, a line is not ``switch,destination,port``, a number is out of its
        range, or a row is missing or there twice.
    """
    subject = f"network: tables {name}"
    lines = csv.reader(text_beside(folder, name, "tables").splitlines())
    head = [cell.strip() for cell in next(lines, [])]
    if tuple(head) != COLUMNS:
        raise SpecError(
            f"{subject}: its first line must be {','.join(COLUMNS)}, not {show(','.join(head))}"
        )
    limits = (network.switches, network.switches, network.ports)
    ports: dict[tuple[int, int], int] = {}
    for cells in lines:
        if not cells:
            continue
        place = f"{subject}, line {lines.line_num}"
        switch, destination, port = _row(place, cells, limits)
        if switch == destination:
            raise SpecError(f"{place}: switch {switch} needs no row to itself; remove it")
        if (switch, destination) in ports:
            raise SpecError(
                f"{place}: switch {switch}, destination {destination} has a row already; keep one"
            )
        ports[switch, destination] = port
    _check_holes(subject, ports, network.switches)
    every = range(network.switches)
    return tuple(tuple(ports.get((switch, to), -1) for to in every) for switch in every)


def _check_holes(subject: str, ports: dict[tuple[int, int], int], switches: int) -> None:
    missing = switches * (switches - 1) - len(ports)
    if not missing:
        return
    switch, destination = next(
        pair for pair in itertools.permutations(range(switches), 2) if pair not in ports
    )
    more = f" (nor for {missing - 1} other pairs)" if missing > 1 else ""
    raise SpecError(
        f"{subject}: no row for switch {switch}, destination {destination}{more}; every switch "
        "needs one for each other switch"
    )


def _row(place: str, cells: list[str], limits: tuple[int, ...]) -> list[int]:
    if len(cells) != len(COLUMNS):
        raise SpecError(f"{place}: {show(','.join(cells))} is not {','.join(COLUMNS)}")
    numbers = []
    for column, cell, limit in zip(COLUMNS, cells, limits, strict=True):
        text = cell.strip()
        if not (text.isascii() and text.isdigit()) or int(text[:9]) >= limit or len(text) > 9:
            raise SpecError(f"{place}: {column} must be 0..{limit - 1}, not {show(text)}")
        numbers.append(int(text))
    return numbers


WAYS = {
    "links": ("links", "nodes", "switches"),
    "topology": ("topology", "nodes_per_switch"),
    "graph": ("graph",),
    "random": ("random",),
    "chiplets": ("chiplets", "bridges"),
}
"""The ways to say how the switches are linked, and the keys of each."""


def _one_way(schema: dict[str, Any]) -> None:
    """Let the JSON Schema know the ways, and that a key left out has no value."""
    for key in ("ports", "interfaces", *(key for keys in WAYS.values() for key in keys), "tables"):
        del schema["properties"][key]["default"]
    for values in schema["properties"].values():
        for ours, name in (("ge", "minimum"), ("le", "maximum")):
            if ours in values:  # pydantic's own names, where a key may be left out
                values[name] = values.pop(ours)

    def way(needed: tuple[str, ...], keys: tuple[str, ...]) -> dict[str, Any]:
        others = {key for other in WAYS.values() for key in other} - {*keys}
        return {
            "required": [*needed],
            "not": {"anyOf": [{"required": [key]} for key in sorted(others)]},
        }

    needed = {"links": ("links", "nodes"), "random": ("random", "ports")}
    schema["oneOf"] = [way(needed.get(first, (first,)), keys) for first, keys in WAYS.items()]


class IrregularTable(IrregularKeys):
    """The table ``[network]`` of an irregular network as the file has it."""

    model_config = ConfigDict(json_schema_extra=_one_way)

    ports: Whole | SkipJsonSchema[None] = Field(  # type: ignore[assignment]
        default=None, ge=2, le=16, description="Ports of every router; by default, as few as do."
    )
    interfaces: Flag | SkipJsonSchema[None] = Field(  # type: ignore[assignment]
        default=None,
        description="Whether nodes are at the far end of a link, or in the routers; those of a"
        " topology are in them by default, if each has exactly one.",
    )
    topology: Text | SkipJsonSchema[None] = Field(
        default=None, description='A topology by name, as "torus-8x8", in place of links.'
    )
    nodes_per_switch: Whole | SkipJsonSchema[None] = Field(
        default=None, ge=1, le=15, description="Nodes at each switch of a topology; by default 1."
    )
    switches: Whole | SkipJsonSchema[None] = Field(
        default=None,
        ge=1,
        le=MOST_SWITCHES,
        description="How many switches there are; by default the greatest number named, plus 1.",
    )
    links: tuple[tuple[WholePlace, WholePlace], ...] | SkipJsonSchema[None] = Field(
        default=None, description="Pairs of [switch, port] that a link joins."
    )
    nodes: tuple[WholePlace, ...] | SkipJsonSchema[None] = Field(
        default=None, description="Where the nodes sit, as [switch, port]."
    )
    graph: Text | SkipJsonSchema[None] = Field(
        default=None, description="A GraphML file or edge list, in place of links and nodes."
    )
    random: RandomNetwork | SkipJsonSchema[None] = Field(
        default=None, description="A random network, in place of links and nodes."
    )
    chiplets: tuple[Chiplet, ...] | SkipJsonSchema[None] = Field(
        default=None, min_length=1, description="Networks that bridges join to one."
    )
    bridges: tuple[Bridge, ...] | SkipJsonSchema[None] = Field(
        default=None, description="Links between chiplets."
    )
    tables: Text | SkipJsonSchema[None] = Field(
        default=None, description="A CSV file of routing tables; up/down routes if left out."
    )

    @model_validator(mode="after")
    def _names_the_links_once(self) -> Self:
        ways = [key for key in WAYS if getattr(self, key) is not None]
        if not ways and self.nodes is None:
            raise SpecError(
                "network: nothing says how the switches are linked; "
                "give links and nodes, topology, graph, random or chiplets"
            )
        if len(ways) > 1:
            raise SpecError(
                f"network: {ways[0]} and {ways[1]} both say how the switches are linked; keep one"
            )
        way = next(iter(ways), "links")
        for other, keys in WAYS.items():
            for key in keys:
                if other != way and getattr(self, key) is not None:
                    raise SpecError(
                        f"network: {key} goes with {other}; {way} says it already: remove it"
                    )
        if way == "links" and self.links is None:
            raise SpecError("network: links is missing; add it ([] for a switch alone)")
        if way == "links" and self.nodes is None:
            raise SpecError("network: nodes is missing; say where they sit, as [switch, port]")
        if way == "random" and (self.ports is None or self.interfaces is False):
            raise SpecError(
                "network: random draws links and nodes for a number of ports; set ports, and leave"
                " interfaces out"
            )
        return self

    def resolve(self, folder: Traversable) -> IrregularSpec:
        """Write the network out.

        Parameters
        ----------
        folder : Traversable
            Where the files named by ``graph`` and ``tables`` are.

        Raises
        ------
        SpecError
            A file cannot be read or does not make sense, or the network is not sound.
        """
        made, long, notes = self._made(folder)
        given = self.model_fields_set & IrregularKeys.model_fields.keys()
        keys = {key: getattr(self, key) for key in given}  # an error may tell the default by it
        keys |= {"ports": made.ports, "interfaces": not made.own}
        if made.family and (grid := named(made.family).grid):
            keys = {"routing": "dimension"} | keys
            rings, adaptive = any(grid.rings), keys["routing"] == "adaptive"
            if adaptive:
                keys = {"channels": 2 + rings} | keys
            if keys["routing"] in BY_GRID and rings:
                keys = {"channels": 2} | keys
                if adaptive or keys["channels"] in (2, 4):
                    keys = {"datelines": tuple(grid.datelines())} | keys
        if long and self.channels:
            longest = max(some.registers for some in long)
            keys = {"buffer_flits": max(4, places_for(longest))} | keys
        keys |= {"long_links": long} if long else {}
        return IrregularSpec(
            **keys,
            switches=made.switches,
            links=made.links,
            nodes=made.nodes,
            tables=None if self.tables is None else read_routes(folder, self.tables, made),
            notes=notes,
            family=made.family,
        )

    def _made(self, folder: Traversable) -> Package:
        long = self.long_links
        if self.chiplets is not None:
            more = self.ports, self.interfaces, self.link_registers
            made = packaged(folder, self.chiplets, self.bridges or (), *more)
            return made._replace(long_links=(*long, *made.long_links))
        if self.topology is not None:
            drawn = named(self.topology)
            network = drawn.network(self.nodes_per_switch, self.ports, self.interfaces)
            return Package(network, long, ())
        if self.graph is not None:
            return Package(read_graph(folder, self.graph, self.ports, self.interfaces), long, ())
        if self.random is not None:
            network, notes = draw_network(self.random, self.ports or 0)
            return Package(network, long, notes)
        links, nodes = self.links or (), self.nodes or ()
        places = [*(place for link in links for place in link), *nodes]
        switches = self.switches or 1 + max((switch for switch, _ in places), default=0)
        ports = self.ports or max(2, *(1 + port for _, port in places))
        network = Irregular(ports, switches, links, nodes, own=self.interfaces is False)
        return Package(network, long, ())
