"""Random irregular networks, as paper BTIN simulates them."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from pydantic import Field

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.irregular import MOST_SWITCHES, Irregular
from syncfabric.models.networks.table import Table, Whole


class FreePorts:
    """Switches with their free ports; every operation takes constant time.

    Parameters
    ----------
    left : list of int
        Free ports of each switch; kept up to date.
    """

    def __init__(self, left: list[int]) -> None:
        self.left = left
        self.open = [switch for switch, free in enumerate(left) if free]
        self._place = {switch: i for i, switch in enumerate(self.open)}

    def any(self, rng: random.Random) -> int:
        """Return one of the switches that have a free port."""
        return self.open[rng.randrange(len(self.open))]

    def take(self, rng: random.Random) -> int:
        """Use a port of one of the switches that have one; return the switch."""
        switch = self.any(rng)
        self.use(switch)
        return switch

    def use(self, switch: int) -> None:
        """Use a port of a switch."""
        self.left[switch] -= 1
        if not self.left[switch]:
            place, last = self._place.pop(switch), self.open.pop()
            if last != switch:
                self.open[place], self._place[last] = last, place

    def give(self, switch: int) -> None:
        """Free a port of a switch."""
        self.left[switch] += 1
        if self.left[switch] == 1:
            self._place[switch] = len(self.open)
            self.open.append(switch)


def random_tree(free: Sequence[int], rng: random.Random) -> list[tuple[int, int]]:
    """Draw a tree over all switches, none with more edges than it has free ports.

    Its Prüfer sequence holds each switch once less than the tree has edges there, so any sequence
    is a tree and all are equally likely: uniform, but for the sequences that the ports forbid.

    Source: H. Prüfer, Archiv der Mathematik und Physik 27, 1918.

    Parameters
    ----------
    free : sequence of int
        Ports that each switch has for the tree, at least 1; 2 (q - 1) or more of all q together.

    Returns
    -------
    list of (switch, switch)
        The q - 1 edges.
    """
    if len(free) < 2:
        return []
    pool = FreePorts([ports - 1 for ports in free])
    sequence = [pool.take(rng) for _ in range(len(free) - 2)]
    return list(_edges(sequence, len(free)))


def _edges(sequence: list[int], count: int) -> Iterator[tuple[int, int]]:
    """Yield the edges of a Prüfer sequence's tree, in linear time."""
    degree = [1] * count
    for switch in sequence:
        degree[switch] += 1
    leaves = (switch for switch in range(count) if degree[switch] == 1)
    scanned = leaf = next(leaves)
    for switch in sequence:
        yield leaf, switch
        degree[switch] -= 1
        if degree[switch] == 1 and switch < scanned:
            leaf = switch
        else:
            scanned = leaf = next(leaves)
    yield leaf, count - 1


TRIES = 64
"""Draws of a pair before all pairs are looked at: only few are left, if any."""


class RandomNetwork(Table):
    """``{ switches = q, nodes = p, connectivity = f, seed = s }``."""

    switches: Whole = Field(ge=1, le=MOST_SWITCHES, description="How many switches.")
    nodes: Whole = Field(ge=1, le=16 * MOST_SWITCHES, description="How many nodes, on all of them.")
    connectivity: float = Field(
        strict=True,
        ge=0,
        le=1,
        allow_inf_nan=False,
        description="Part of all ports that links and nodes take, on average.",
    )
    seed: Whole = Field(ge=0, description="Seed of the draw.")

    @classmethod
    def _subject(cls, data: dict[str, Any]) -> str:
        return "network: random: "


def link_count(drawn: RandomNetwork, ports: int) -> int:
    """Return how many links the connectivity asks for: (f k q - p) / 2, rounded down."""
    # The decimal that the file has, not the binary fraction next to it.
    connected = Fraction(str(drawn.connectivity)) * ports * drawn.switches
    return max(0, (connected - drawn.nodes) // 2)


def draw_network(drawn: RandomNetwork, ports: int) -> tuple[Irregular, tuple[str, ...]]:
    """Draw a connected network.

    Each node sits on a switch drawn evenly from those that keep a port free; a random tree links
    the switches, each further link joins two drawn evenly from those with a free port: two that
    are not linked yet while there are such, and never one to itself. Which ports of its switch
    they take is random too.

    Source: paper BTIN, sections 4.1 (connectivity) and 5.1. A network below the links of a tree
    cannot be connected (as at the paper's f = 50 %): it gets those of the tree, and a note.

    Parameters
    ----------
    drawn : RandomNetwork
        What to draw; one seed gives one network.
    ports : int
        Ports of every switch.

    Returns
    -------
    Irregular
        The network; nodes are numbered by switch, then port.
    tuple of str
        What to print on how it was made.

    Raises
    ------
    SpecError
        The switches have too few ports for the nodes and a tree.
    """
    asked, tree = link_count(drawn, ports), drawn.switches - 1
    _check_capacity(drawn, ports)
    links = max(asked, tree) if tree else 0
    rng = random.Random(drawn.seed)
    draw = _Draw(rng, drawn.switches, ports)
    draw.place_nodes(drawn.nodes)
    draw.link_tree()
    draw.link_more(links)
    notes: tuple[str, ...] = ()
    if asked != links:
        notes = (
            f"random: connectivity = {drawn.connectivity} asks for {_links(asked)}; "
            f"{drawn.switches} switch{'es' * (tree > 0)} got {links}"
            + (", the fewest that connect them" if tree else ", for none leads to itself"),
        )
    return draw.network(), notes


def _links(count: int) -> str:
    return f"{count} link{'s' * (count != 1)}"


def _check_capacity(drawn: RandomNetwork, ports: int) -> None:
    there, tree = drawn.switches * ports, 2 * (drawn.switches - 1)
    if drawn.nodes + tree > there:
        raise SpecError(
            f"network: random: nodes = {drawn.nodes} is too many for {drawn.switches} switches of "
            f"{ports} ports, which must be linked; it must be 1..{there - tree}"
        )


class _Draw:
    """A network being drawn: nodes and links by switch, ports only at the end."""

    def __init__(self, rng: random.Random, switches: int, ports: int) -> None:
        self.rng, self.switches, self.ports = rng, switches, ports
        self.nodes = [0] * switches
        self.links: list[tuple[int, int]] = []
        self.linked: Counter[tuple[int, int]] = Counter()
        self.free = FreePorts([])

    def place_nodes(self, count: int) -> None:
        """Spread the nodes, leaving each switch a port for a link."""
        keep = 1 if self.switches > 1 else 0
        pool = FreePorts([self.ports - keep] * self.switches)
        for _ in range(count):
            self.nodes[pool.take(self.rng)] += 1
        self.free = FreePorts([self.ports - held for held in self.nodes])

    def link_tree(self) -> None:
        """Connect the switches by a random tree over their free ports."""
        for a, b in random_tree(self.free.left, self.rng):
            self._link(a, b)

    def link_more(self, count: int) -> None:
        """Add random links until there are ``count``."""
        while len(self.links) < count:
            pair = self._try() or self._search()
            if pair:
                self._link(*pair)
            else:
                self._free_port()

    def network(self) -> Irregular:
        """Deal the ports out."""
        ports = [self.rng.sample(range(self.ports), self.ports) for _ in range(self.switches)]
        links = tuple(((a, ports[a].pop()), (b, ports[b].pop())) for a, b in self.links)
        nodes = tuple(
            (switch, port)
            for switch, own in enumerate(ports)
            for port in sorted(own[: self.nodes[switch]])
        )
        return Irregular(self.ports, self.switches, links, nodes)

    def _link(self, a: int, b: int) -> None:
        self.free.use(a)
        self.free.use(b)
        self.links.append((a, b))
        self.linked[min(a, b), max(a, b)] += 1

    def _try(self) -> tuple[int, int] | None:
        for _ in range(TRIES):
            a, b = self.free.any(self.rng), self.free.any(self.rng)
            if a != b and not self.linked[min(a, b), max(a, b)]:
                return a, b
        return None

    def _search(self) -> tuple[int, int] | None:
        """Draw from all pairs that can be linked, from new ones if there are any."""
        open_ = sorted(self.free.open)
        pairs = [(a, b) for i, a in enumerate(open_) for b in open_[i + 1 :]]
        fresh = [pair for pair in pairs if not self.linked[pair]]
        return self.rng.choice(fresh or pairs) if pairs else None

    def _free_port(self) -> None:
        """Free a port elsewhere when all free ones are on one switch.

        Either a link between two others is led over this switch, or a node moves to it.
        """
        (switch,) = self.free.open
        elsewhere = [i for i, link in enumerate(self.links) if switch not in link]
        if elsewhere:
            a, b = self.links.pop(self._fewest(switch, elsewhere))
            self.linked[min(a, b), max(a, b)] -= 1
            self.free.give(a)
            self.free.give(b)
            self._link(switch, a)
            self._link(switch, b)
        else:
            holders = [s for s, held in enumerate(self.nodes) if held and s != switch]
            holder = self.rng.choice(holders)
            self.nodes[holder] -= 1
            self.nodes[switch] += 1
            self.free.use(switch)
            self.free.give(holder)

    def _fewest(self, switch: int, candidates: list[int]) -> int:
        """Draw the link whose ends are linked to the switch the fewest times yet."""

        def weight(i: int) -> int:
            return sum(self.linked[min(switch, end), max(switch, end)] for end in self.links[i])

        least = min(map(weight, candidates))
        return self.rng.choice([i for i in candidates if weight(i) == least])
