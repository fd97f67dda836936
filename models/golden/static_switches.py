"""The switches of a static network, their links, and the loader of their routes (R1 to R3, R5)."""

from collections import deque
from collections.abc import Collection, Mapping, Sequence

from syncfabric.models.messages.static import LoaderWord
from syncfabric.models.networks.spec import StaticSpec


class StaticWiring:
    """Links of a static network; a link and the buffer at its end have one number.

    Link ``P s + p`` leaves switch s by output p of P, that of a node to the core buffer; link
    ``P S + i``, behind those of all S switches, leads from node i into that input of its switch.

    Parameters
    ----------
    network : StaticSpec

    Attributes
    ----------
    nodes, ports, links : int
        Number of nodes, of ports of a switch, and of links.
    capacity : list of int, by link
        Places of the buffer at its end; where nothing is joined, what its output's counter begins
        with.
    place : list of int, by link
        The node that shows the buffer at its end; -1: none does.
    joined : list of bool, by link
        Whether it leads anywhere.
    inputs : list of list of (int or None), by switch and port
        The link that leads to an input; None where nothing is joined.
    selects : list of tuple of int, by port
        The inputs that an output can select.
    core, injection : list of int, by node
        The link to the node's core buffer, and from the node into its switch.
    node : dict of int to int
        The node of each link to a core buffer.
    """

    def __init__(self, network: StaticSpec) -> None:
        graph, layout = network.graph, network.layout
        self.nodes, self.ports = len(graph.nodes), graph.ports
        self.outputs = self.ports * graph.switches
        self.links = self.outputs + self.nodes
        self.capacity = [network.switch_buffer] * self.outputs
        self.capacity += [network.injection_buffer] * self.nodes
        self.place, self.joined = [-1] * self.links, [False] * self.links
        self.inputs: list[list[int | None]] = [[None] * self.ports for _ in range(graph.switches)]
        self.selects = [layout.inputs(port) for port in range(self.ports)]
        for a, b in graph.links:
            for (switch, port), (far, end) in ((a, b), (b, a)):
                link = self.output(switch, port)
                self.joined[link], self.inputs[far][end] = True, link
                self.place[link] = far if graph.own else -1
        self.core = [self.output(*place) for place in graph.nodes]
        self.injection = list(range(self.outputs, self.links))
        for node, (switch, port) in enumerate(graph.nodes):
            core, injection = self.core[node], self.injection[node]
            self.capacity[core] = network.core_buffer
            self.inputs[switch][port] = injection
            self.joined[core] = self.joined[injection] = True
            self.place[core] = node
            self.place[injection] = node if graph.own else -1
        self.node = {core: node for node, core in enumerate(self.core)}

    def output(self, switch: int, port: int) -> int:
        """Return the link that leaves a switch by a port."""
        return self.ports * switch + port


class Switches:
    """All buffers of a network, those of the cores too; only what may move is looked at.

    A buffer has the number of the link that leads to it. None overflows, for the counters say how
    many places are free: ``OVERFLOW`` stays 0.

    Parameters
    ----------
    wiring : StaticWiring
    dirty : set of int
        Nodes at which a buffer has changed; added to.
    acting : set of int
        Nodes whose core buffer has got a flit, or whose injection link a credit; added to.

    Attributes
    ----------
    buffers : list of deque of int, by link
        The flits in flight, the oldest first.
    credits : list of int, by link
        The sender's counter.
    active : set of int
        Buffers that may move in the coming cycle.
    dead : set of int
        Links over which neither flits nor credits go any more.
    """

    def __init__(self, wiring: StaticWiring, dirty: set[int], acting: set[int]) -> None:
        self._wiring, self._dirty, self._acting = wiring, dirty, acting
        self.buffers: list[deque[int]] = [deque() for _ in range(wiring.links)]
        self.credits = wiring.capacity.copy()
        self.active: set[int] = set()
        self.dead: set[int] = set()
        self._outputs: list[tuple[int, ...]] = [()] * wiring.links  # those that select a buffer
        self._sources: Sequence[Sequence[int]] = [()] * wiring.outputs

    def route(self, selects: Sequence[Sequence[int]]) -> None:
        """Let every output select buffers anew, by its link."""
        self._sources = selects
        outputs: list[list[int]] = [[] for _ in range(self._wiring.links)]
        for output, links in enumerate(selects):
            for link in links:
                outputs[link].append(output)
        self._outputs = [tuple(to) for to in outputs]
        self.active.update(link for link, queue in enumerate(self.buffers) if queue)

    def move(self, sent: dict[int, int]) -> list[int]:
        """Choose the buffers that move in this cycle, and return them.

        Parameters
        ----------
        sent : dict of link to flit
            What is on the links; added to.
        """
        buffers, credits, outputs = self.buffers, self.credits, self._outputs
        moved = []
        for link in self.active:
            queue, to = buffers[link], outputs[link]
            if queue and to and all(map(credits.__getitem__, to)):
                moved.append(link)
                for output in to:
                    sent[output] = queue[0]
        self.active = set(moved)
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
        place, joined, nodes, dirty = wiring.place, wiring.joined, wiring.node, self._dirty
        for link in moved:
            buffers[link].popleft()
            if place[link] >= 0:
                dirty.add(place[link])
            if link in self.dead:
                continue
            credits[link] += 1
            if credits[link] == 1:
                self._wake(link)
        for link, flit in sent.items():
            credits[link] -= 1
            if not joined[link] or link in self.dead:
                continue
            buffers[link].append(flit)
            if place[link] >= 0:
                dirty.add(place[link])
            if link in nodes:
                self._acting.add(nodes[link])
            else:
                self.active.add(link)

    def clear(self, links: Collection[int]) -> None:
        """Empty the buffers of links, and fill their counters."""
        for link in links:
            self.credits[link] = self._wiring.capacity[link]
            self._wake(link)
            if link in self.dead:
                continue
            self.buffers[link].clear()
            if self._wiring.place[link] >= 0:
                self._dirty.add(self._wiring.place[link])

    def _wake(self, link: int) -> None:
        """Wake who waits for a credit of a link."""
        node = link - self._wiring.outputs
        if node >= 0:
            self._acting.add(node)
        else:
            self.active.update(self._sources[link])


WORD_BITS = 32


class Loader:
    """Takes route words in, and returns what the switches take from the chain.

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
        self._width = len(wiring.selects[0]) + 1  # bits of an output
        self._bits = self._width * wiring.outputs
        self._mask = (1 << self._bits) - 1
        self._chain = self._latched = 0
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
            self.strobe, self._latched = now + 1, self._chain
            return now + 1, False, 0
        if not write and address == LoaderWord.LENGTH:
            return now + 1, False, self._bits
        return now + 1, True, 0

    def selects(self) -> list[list[int]]:
        """Return the links that each output's select names, by the output's link."""
        wiring = self._wiring
        found: list[list[int]] = []
        for switch, inputs in enumerate(wiring.inputs):
            for port, selects in enumerate(wiring.selects):
                bits = self._part(wiring.output(switch, port))
                chosen = (inputs[each] for i, each in enumerate(selects) if bits >> i & 1)
                found.append([link for link in chosen if link is not None])
        return found

    def flushed(self) -> list[int]:
        """Return the outputs whose ``flush`` bit is set, as links."""
        flush = self._width - 1
        return [link for link in range(self._wiring.outputs) if self._part(link) >> flush]

    def _part(self, output: int) -> int:
        """Return an output's select bits, with its ``flush`` bit above them."""
        return self._latched >> self._width * output & (1 << self._width) - 1
