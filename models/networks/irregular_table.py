"""The table ``[network]`` of an irregular network, and the links and nodes that it stands for."""

import csv
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources.abc import Traversable
from itertools import accumulate, count
from typing import Any, NamedTuple

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from syncfabric.models.errors import SpecError, UnknownNameError
from syncfabric.models.files import text_beside
from syncfabric.models.layout.shape import BY_GRID
from syncfabric.models.networks.explain import did_you_mean, show
from syncfabric.models.networks.families import named
from syncfabric.models.networks.family import MOST_PORTS
from syncfabric.models.networks.graph import read_graph
from syncfabric.models.networks.irregular import Irregular, Link, Place
from syncfabric.models.networks.irregular_spec import IrregularKeys, IrregularSpec
from syncfabric.models.networks.linked_table import LinkedTable, one_form
from syncfabric.models.networks.long_links import MOST_ON_A_LINK, LongLinks, places_for
from syncfabric.models.networks.table import Name, Table, Text, Whole


class Chiplet(Table):
    """A network of its own in a package."""

    name: Name = Field(description="What bridges call it.")
    topology: Text | SkipJsonSchema[None] = Field(
        default=None, description='A topology by name, as "mesh-4x4".'
    )
    graph: Text | SkipJsonSchema[None] = Field(
        default=None, description="A GraphML file or edge list, in place of a topology."
    )
    nodes_per_switch: Whole | SkipJsonSchema[None] = Field(
        default=None, ge=1, le=15, description="Nodes at each switch of a topology; by default 1."
    )

    @classmethod
    def _subject(cls, data: dict[str, Any]) -> str:
        return f"network: chiplet {show(data.get('name', '?'))}: "


class Bridge(Table):
    """Links between switches of two chiplets."""

    between: tuple[Name, Name] = Field(description="The chiplets.")
    switches: tuple[tuple[Whole, Whole], ...] = Field(
        min_length=1, description="Of each link, the switch of either chiplet, by its own number."
    )
    registers: Whole = Field(
        default=0, ge=0, le=MOST_ON_A_LINK, description="Registers on each of them."
    )

    @classmethod
    def _subject(cls, data: dict[str, Any]) -> str:
        return "network: bridges: "


class Package(NamedTuple):
    """Chiplets as one network."""

    network: Irregular
    long_links: tuple[LongLinks, ...]
    notes: tuple[str, ...]


def packaged(
    folder: Traversable,
    chiplets: Sequence[Chiplet],
    bridges: Sequence[Bridge],
    ports: int | None,
    interfaces: bool | None,
    registers: int,
) -> Package:
    """Put chiplets side by side, and join them.

    Switches, and nodes, are numbered through all chiplets in their order. A bridge takes the lowest
    port that is free.

    Parameters
    ----------
    folder : Traversable
        Where graph files are.
    chiplets : sequence of Chiplet
    bridges : sequence of Bridge
    ports : int, optional
        Of every switch; by default as many as are needed.
    interfaces : bool, optional
        Nodes are at the far end of a link, or in the switches; by default there only if all
        chiplets have them there.
    registers : int
        Of links that are not longer.

    Raises
    ------
    SpecError
        A chiplet cannot be made, or has another's name; a bridge names what is not there, or is
        not as long as another between its switches, or a switch has no port left.
    """
    names = [chiplet.name for chiplet in chiplets]
    if twice := {name for name in names if names.count(name) > 1}:
        raise SpecError(
            f'network: two chiplets have the name "{min(twice)}"; give each a name of its own'
        )
    parts = [_made(folder, chiplet) for chiplet in chiplets]
    first = dict(zip(names, accumulate(map(len, parts), initial=0), strict=False))
    links: list[Link] = []
    homes: list[int] = []
    for begin, part in zip(first.values(), parts, strict=True):
        links += [((a + begin, p), (b + begin, q)) for (a, p), (b, q) in part.links]
        homes += [switch + begin for switch, _ in part.nodes]
    taken = {end for link in links for end in link}

    def free(switch: int) -> Place:
        """Return a switch's lowest port that is free, which it then is no more."""
        place = next((switch, p) for p in count() if (switch, p) not in taken)
        taken.add(place)
        return place

    lengths: dict[frozenset[int], int] = {}
    for bridge in bridges:
        for pair in bridge.switches:
            a, b = _ends(bridge, pair, names, first, parts)
            links.append((free(a), free(b)))
            if lengths.setdefault(frozenset((a, b)), bridge.registers) != bridge.registers:
                raise SpecError(
                    f"network: bridges: links between switches {pair[0]} and {pair[1]} of"
                    f" {bridge.between[0]} and {bridge.between[1]} have different registers; give"
                    " them the same"
                )
    by_length: dict[int, list[tuple[int, int]]] = {}
    for ends, length in lengths.items():
        if length > registers:
            by_length.setdefault(length, []).append((min(ends), max(ends)))
    long = (LongLinks(registers=n, between=tuple(pairs)) for n, pairs in by_length.items())
    switches = sum(map(len, parts))
    if interfaces is None:
        interfaces = homes != [*range(switches)]
    nodes = tuple(map(free, homes)) if interfaces else ()
    most = max(2, 1 + max(port for _, port in taken) + (not interfaces))
    if most > (ports or MOST_PORTS):
        raise SpecError(
            f"network: chiplets and bridges need {most} ports a switch, more than"
            f" {ports or MOST_PORTS}; join other switches"
        )
    network = Irregular(ports or most, switches, tuple(links), nodes)
    if not interfaces:
        network = replace(network, nodes=tuple((home, 0) for home in homes)).inside()
    notes = (
        f"chiplet {name} has switches {first[name]} to {first[name] + len(part) - 1}"
        for name, part in zip(names, parts, strict=True)
    )
    return Package(network, tuple(long), tuple(notes))


def _made(folder: Traversable, chiplet: Chiplet) -> Irregular:
    """Return a chiplet's own switches, links and nodes."""
    if (chiplet.topology is None) == (chiplet.graph is None):
        raise SpecError(f'network: chiplet "{chiplet.name}": give it a topology or a graph')
    if chiplet.topology is not None:
        return named(chiplet.topology).network(chiplet.nodes_per_switch, None, True)
    if chiplet.nodes_per_switch is not None:
        raise SpecError(
            f'network: chiplet "{chiplet.name}": nodes_per_switch goes with topology; remove it'
        )
    return read_graph(folder, chiplet.graph or "", None, True)


def _ends(
    bridge: Bridge,
    pair: tuple[int, int],
    names: Sequence[str],
    first: Mapping[str, int],
    parts: Sequence[Irregular],
) -> tuple[int, int]:
    """Return the switches that a link of a bridge joins, as the whole network numbers them."""
    ends = []
    for name, switch in zip(bridge.between, pair, strict=True):
        if name not in first:
            raise UnknownNameError(
                f'network: bridges: there is no chiplet "{name}"; {did_you_mean(name, names)}'
            )
        size = len(parts[names.index(name)])
        if not 0 <= switch < size:
            raise SpecError(
                f"network: bridges: chiplet {name} has no switch {switch}; switches must be"
                f" 0..{size - 1}"
            )
        ends.append(first[name] + switch)
    if bridge.between[0] == bridge.between[1]:
        raise SpecError(
            f"network: bridges: one leads from chiplet {bridge.between[0]} to itself; join two"
        )
    return ends[0], ends[1]


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


FORMS = {**LinkedTable.FORMS, "chiplets": ("chiplets", "bridges")}


class IrregularTable(LinkedTable, IrregularKeys):  # type: ignore[misc]  # ports may be left out
    """The table ``[network]`` of an irregular network as the file has it."""

    FORMS = FORMS
    model_config = one_form(FORMS, "tables")

    chiplets: tuple[Chiplet, ...] | SkipJsonSchema[None] = Field(
        default=None, min_length=1, description="Networks that bridges join to one."
    )
    bridges: tuple[Bridge, ...] | SkipJsonSchema[None] = Field(
        default=None, description="Links between chiplets."
    )
    tables: Text | SkipJsonSchema[None] = Field(
        default=None, description="A CSV file of routing tables; up/down routes if left out."
    )

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
        keys = {key: getattr(self, key) for key in given}  # an error may name the default by it
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
        network, notes = self.linked(folder)
        return Package(network, long, notes)
