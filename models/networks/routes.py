"""Routing tables as a CSV file: switch, destination, output port."""

from __future__ import annotations

import csv
import itertools
from importlib.resources.abc import Traversable

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.beside import text_beside
from syncfabric.models.networks.explain import show
from syncfabric.models.networks.irregular import Irregular

__all__ = ["read_routes"]

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
