"""The table ``[network]`` of an irregular network, and the links and nodes that it stands for."""

from __future__ import annotations

import csv
import itertools
from importlib.resources.abc import Traversable

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from syncfabric.models.errors import SpecError
from syncfabric.models.files import text_beside
from syncfabric.models.layout.shape import BY_GRID
from syncfabric.models.networks.chiplets import Bridge, Chiplet, Package, packaged
from syncfabric.models.networks.explain import show
from syncfabric.models.networks.families import named
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.irregular_spec import IrregularKeys, IrregularSpec
from syncfabric.models.networks.linked_table import LinkedTable, one_way
from syncfabric.models.networks.long_links import places_for
from syncfabric.models.networks.table import Text

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


WAYS = {**LinkedTable.WAYS, "chiplets": ("chiplets", "bridges")}


class IrregularTable(LinkedTable, IrregularKeys):  # type: ignore[misc]  # ports may be left out
    """The table ``[network]`` of an irregular network as the file has it."""

    WAYS = WAYS
    model_config = one_way(WAYS, "tables")

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
        network, notes = self.linked(folder)
        return Package(network, long, notes)
