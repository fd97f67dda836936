"""The switches of a static network, their links, and the loader of their routes (R1 to R3, R5)."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence

from syncfabric.models.messages.static import CHAIN_BITS, LoaderWord
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import StaticSpec

__all__ = ["PORTS", "Loader", "StaticWiring", "Switches"]


PORTS = len(Port)


class StaticWiring:
    """Links of a static network; a link and the buffer at its end have one number.

    Link ``5 s + p`` leaves switch s by output p, CORE (the mesh's LOCAL) to the core buffer; link
    ``5 n + i`` leads from node i into input CORE of its switch.

    Parameters
    ----------
    network : StaticSpec

    Attributes
    ----------
    nodes, links : int
        Number of nodes, and of links.
    capacity : list of int, by link
        Places of the buffer at its end; at the rim, what its output's counter begins with.
    place : list of int, by link
        The node at which it ends; -1 at the rim.
    inputs : list of list of (int or None), by switch and port
        The link that leads to an input; None at the rim.
    is_core : list of bool, by link
        Whether it leads to a core buffer.
    """

    def __init__(self, network: StaticSpec) -> None:
        mesh = network.topology
        self.nodes = count = len(mesh.nodes)
        self.links = (PORTS + 1) * count
        self.capacity = [network.switch_buffer] * (PORTS * count)
        self.capacity += [network.injection_buffer] * count
        self.place = [-1] * (PORTS * count) + list(range(count))
        self.inputs: list[list[int | None]] = [[None] * PORTS for _ in range(count)]
        self.is_core = [port is Port.LOCAL for port in Port] * count + [False] * count
        for switch, node in enumerate(mesh.nodes):
            for port in Port:
                to = mesh.neighbour(node, port)
                link = self.output(switch, port)
                if port is Port.LOCAL:
                    self.capacity[link] = network.core_buffer
                    self.place[link] = switch
                elif to is not None:
                    self.place[link] = mesh.index(to)
                    self.inputs[mesh.index(to)][port.opposite] = link
            self.inputs[switch][Port.LOCAL] = self.injection(switch)

    def output(self, switch: int, port: int) -> int:
        """Return the link that leaves a switch by a port."""
        return PORTS * switch + port

    def core(self, node: int) -> int:
        """Return the link to a node's core buffer."""
        return PORTS * node + Port.LOCAL

    def injection(self, node: int) -> int:
        """Return the link from a node into its switch."""
        return PORTS * self.nodes + node


class Switches:
    """All buffers of a network, those of the cores too; only what may move is looked at.

    A buffer has the number of the link that leads to it. None overflows, for the counters say how
    many places are free: ``OVERFLOW`` stays 0.

    Parameters
    ----------
    wiring : StaticWiring
    touched : set of int
        Nodes at which a buffer has changed; added to.
    stirring : set of int
        Nodes whose core buffer has got a flit, or whose injection link a credit; added to.

    Attributes
    ----------
    buffers : list of deque of int, by link
        The flits under way, the oldest first.
    credits : list of int, by link
        The sender's counter.
    awake : set of int
        Buffers that may move in the coming cycle.
    dead : set of int
        Links over which neither flits nor credits go any more.
    """

    def __init__(self, wiring: StaticWiring, touched: set[int], stirring: set[int]) -> None:
        self._wiring, self._touched, self._stirring = wiring, touched, stirring
        self.buffers: list[deque[int]] = [deque() for _ in range(wiring.links)]
        self.credits = wiring.capacity.copy()
        self.awake: set[int] = set()
        self.dead: set[int] = set()
        self._outputs: list[tuple[int, ...]] = [()] * wiring.links  # those that select a buffer
        self._sources: Sequence[Sequence[int]] = [()] * (PORTS * wiring.nodes)

    def route(self, selects: Sequence[Sequence[int]]) -> None:
        """Let every output select buffers anew, by its link."""
        self._sources = selects
        outputs: list[list[int]] = [[] for _ in range(self._wiring.links)]
        for output, links in enumerate(selects):
            for link in links:
                outputs[link].append(output)
        self._outputs = [tuple(to) for to in outputs]
        self.awake.update(link for link, queue in enumerate(self.buffers) if queue)

    def move(self, sent: dict[int, int]) -> list[int]:
        """Choose the buffers that move in this cycle, and return them.

        Parameters
        ----------
        sent : dict of link to flit
            What is on the links; added to.
        """
        buffers, credits, outputs = self.buffers, self.credits, self._outputs
        moved = []
        for link in self.awake:
            queue, to = buffers[link], outputs[link]
            if queue and to and all(map(credits.__getitem__, to)):
                moved.append(link)
                for output in to:
                    sent[output] = queue[0]
        self.awake = set(moved)
        return moved

    def edge(self, sent: Mapping[int, int], moved: Collection[int]) -> None:
        """Move the flits, and count credits.

        Parameters
        ----------
        sent : mapping of link to flit
            What is on the links.
        moved : collection of int
            Buffers that their front flit leaves.
        """
        buffers, credits, wiring = self.buffers, self.credits, self._wiring
        place, is_core, touched = wiring.place, wiring.is_core, self._touched
        for link in moved:
            buffers[link].popleft()
            touched.add(place[link])
            if link in self.dead:
                continue
            credits[link] += 1
            if credits[link] == 1:
                self._wake(link)
        for link, flit in sent.items():
            credits[link] -= 1
            node = place[link]
            if node < 0 or link in self.dead:
                continue
            buffers[link].append(flit)
            touched.add(node)
            if is_core[link]:
                self._stirring.add(node)
            else:
                self.awake.add(link)

    def clear(self, links: Collection[int]) -> None:
        """Empty the buffers of links, and fill their counters."""
        for link in links:
            self.credits[link] = self._wiring.capacity[link]
            self._wake(link)
            if link in self.dead:
                continue
            self.buffers[link].clear()
            if self._wiring.place[link] >= 0:
                self._touched.add(self._wiring.place[link])

    def _wake(self, link: int) -> None:
        """Wake who waits for a credit of a link."""
        node = link - PORTS * self._wiring.nodes
        if node >= 0:
            self._stirring.add(node)
        else:
            self.awake.update(self._sources[link])


WORD_BITS = 32
SELECTS = PORTS - 1


class Loader:
    """Takes route words in, and tells what the switches take from the chain.

    That the bits enter one by one cannot be seen, for there is no strobe meanwhile; a strobe takes
    the bits that stand there when it is asked for.

    Parameters
    ----------
    wiring : StaticWiring

    Attributes
    ----------
    strobe : int or None
        The cycle in which ``route_strobe`` is or was high.
    """

    def __init__(self, wiring: StaticWiring) -> None:
        self._wiring = wiring
        self._bits = CHAIN_BITS * wiring.nodes
        self._mask = (1 << self._bits) - 1
        self._chain = self._taken = 0
        self.strobe: int | None = None
        self._shifts_to = -1

    def configure(self, now: int, address: int, write: bool, data: int) -> tuple[int, bool, int]:
        """Obey a request in cycle ``now``; return the answer's cycle, error and data."""
        if now <= self._shifts_to:
            return now + 1, True, 0
        if write and address == LoaderWord.SHIFT:
            for bit in range(WORD_BITS):
                self._chain = self._chain << 1 | (data >> bit & 1)
            self._chain &= self._mask
            self._shifts_to = now + WORD_BITS
            return now + WORD_BITS + 1, False, 0
        if write and address == LoaderWord.STROBE:
            self.strobe, self._taken = now + 1, self._chain
            return now + 1, False, 0
        if not write and address == LoaderWord.LENGTH:
            return now + 1, False, self._bits
        return now + 1, True, 0

    def selects(self) -> list[list[int]]:
        """Return the links that each output's select names, by the output's link."""
        wiring = self._wiring
        found: list[list[int]] = []
        for switch in range(wiring.nodes):
            for port in range(PORTS):
                bits = self._part(switch, port)
                others = [other for other in range(PORTS) if other != port]
                chosen = [wiring.inputs[switch][o] for i, o in enumerate(others) if bits >> i & 1]
                found.append([link for link in chosen if link is not None])
        return found

    def flushed(self) -> list[int]:
        """Return the outputs whose ``flush`` bit is set, as links."""
        return [
            PORTS * switch + port
            for switch in range(self._wiring.nodes)
            for port in range(PORTS)
            if self._part(switch, port) >> SELECTS
        ]

    def _part(self, switch: int, port: int) -> int:
        """Return an output's select bits, with its ``flush`` bit above them."""
        width = SELECTS + 1
        return self._taken >> CHAIN_BITS * switch + width * port & (1 << width) - 1
