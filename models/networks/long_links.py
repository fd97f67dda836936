"""Links that have more registers than the others of a network: long wraps, and links off a chip."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from pydantic import Field

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.grid import Grid
from syncfabric.models.networks.irregular import Link
from syncfabric.models.networks.table import Table, Whole, WholePlace

MOST_ON_A_LINK = 15
"""Registers of the longest link that can be built."""


class LongLinks(Table):
    """Links between switches that have more registers than others."""

    registers: Whole = Field(ge=1, le=MOST_ON_A_LINK, description="Registers on each of them.")
    between: Literal["wraps"] | tuple[WholePlace, ...] = Field(
        description='Pairs of switches, or "wraps": the links that close a topology\'s rings.'
    )

    @classmethod
    def _subject(cls, data: dict[str, Any]) -> str:
        return "network: long_links: "


def places_for(registers: int) -> int:
    """Return the flits that a channel must hold so that such a link carries one a cycle."""
    return 2 * registers + 3


def extra_registers(
    links: Sequence[Link], long: Sequence[LongLinks], registers: int, grid: Grid | None
) -> tuple[int, ...]:
    """Return the registers of each link beyond those of all links; nothing if all are alike.

    Parameters
    ----------
    links : sequence of Link
    long : sequence of LongLinks
    registers : int
        Of all links.
    grid : Grid or None
        The coordinates of the switches, if they have any.

    Raises
    ------
    SpecError
        A pair is not linked or named twice, has no more registers than others, or there are no
        rings.
    """
    pairs = [frozenset((a, b)) for (a, _), (b, _) in links]
    known = {*pairs}
    extra: dict[frozenset[int], int] = {}
    for some in long:
        if some.registers <= registers:
            raise SpecError(
                f"network: long_links: registers must be above link_registers = {registers}, not"
                f" {some.registers}; remove these links"
            )
        for a, b in _pairs(links, some, grid):
            if (pair := frozenset((a, b))) not in known:
                raise SpecError(
                    f"network: long_links: no link joins switches {a} and {b}; name two that are"
                    " linked"
                )
            if pair in extra:
                raise SpecError(
                    f"network: long_links: switches {a} and {b} are named twice; name them once"
                )
            extra[pair] = some.registers - registers
    return tuple(extra.get(pair, 0) for pair in pairs) if extra else ()


def _pairs(links: Sequence[Link], some: LongLinks, grid: Grid | None) -> Iterator[tuple[int, int]]:
    """Yield the switches that some long links join."""
    if some.between != "wraps":
        yield from some.between
        return
    if not grid or not any(grid.rings):
        raise SpecError(
            'network: long_links: between = "wraps" is for topologies with rings; name pairs of'
            " switches"
        )
    closing = {*grid.datelines()}
    yield from ((a[0], b[0]) for a, b in links if a in closing)
