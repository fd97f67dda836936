"""Nodes joined by links, and by the config chain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from syncfabric.models.golden.engine import Answer, Message
from syncfabric.models.golden.engine.node_port import Arrival
from syncfabric.models.golden.planes.node import Node
from syncfabric.models.golden.planes.pins import NodeInputs, NodeOutputs
from syncfabric.models.golden.transport.config_chain import ChainEnd, ChainRequest
from syncfabric.models.golden.transport.link import Link
from syncfabric.models.golden.transport.wires import Back, Forward
from tests.models.golden.engine_network import Place

__all__ = ["NodeNetwork"]


class NodeNetwork:
    """Nodes, the links between them, and the chain through all in their order.

    Parameters
    ----------
    nodes : sequence of Node
    links : iterable of (Place, Place)
        Both ends of each link. At a port that is joined to nothing nothing comes, no credits
        come back, and with check bits ``empty`` is 1.

    Attributes
    ----------
    now : int
        The cycle that ``step`` goes through next.
    answer : Answer or None
        The host's, in this cycle.
    """

    def __init__(self, nodes: Sequence[Node], links: Iterable[tuple[Place, Place]]) -> None:
        self.nodes, self.now = nodes, 0
        self._ends = {here: there for a, b in links for here, there in ((a, b), (b, a))}
        self._links = {(n, p): Link(nodes[n].parameters.link_registers) for n, p in self._ends}
        self._chain_end = ChainEnd()

    @property
    def answer(self) -> Answer | None:
        """The host's answer in this cycle."""
        return self.nodes[0].config.answer

    def step(
        self,
        request: ChainRequest | None = None,
        arrivals: Mapping[int, Mapping[int, Arrival]] | None = None,
        arrive: Mapping[int, Message] | None = None,
        local: Mapping[int, tuple[Forward, Back]] | None = None,
        flips: Mapping[Place, int] | None = None,
        *,
        reset: bool = False,
    ) -> list[NodeOutputs]:
        """Go through a cycle.

        Parameters
        ----------
        request : ChainRequest, optional
            The host's.
        arrivals : mapping of int to (mapping of int to Arrival), optional
            By node and register.
        arrive : mapping of int to Message, optional
            To the engine's own port, by node.
        local : mapping of int to (Forward, Back), optional
            From the processes' packets, by node.
        flips : mapping of Place to int, optional
            Wires that are inverted after the sender, as ``LinkForm.flip`` counts them.
        reset : bool, optional

        Returns
        -------
        list of NodeOutputs
            By node.
        """
        wires = [node.wires() for node in self.nodes]
        forward: list[dict[int, Forward]] = [{} for _ in self.nodes]
        back: list[dict[int, Back]] = [{} for _ in self.nodes]
        for n, node in enumerate(self.nodes):
            if node.parameters.check_bits:
                nothing = Back(empty=-1)
                back[n] = {p: nothing for p in node.ends if (n, p) not in self._ends}
        for here, link in self._links.items():
            (n, p), (m, q) = here, self._ends[here]
            sent = wires[n][0][p]
            if flips and here in flips:
                sent = self.nodes[n].ends[p].form.flip(sent, flips[here])
            forward[m][q], back[n][p] = link.step(sent, wires[m][1][q])
        for n, (sent, credit) in (local or {}).items():
            port = self.nodes[n].parameters.layout.links
            forward[n][port], back[n][port] = sent, credit
        requests = [request, *(node.config.passing for node in self.nodes)]
        answers = [*(node.config.answer for node in self.nodes[1:]), self._chain_end.answer]
        self.now += 1
        outputs = []
        for n, node in enumerate(self.nodes):
            inputs = NodeInputs(
                forward[n],
                back[n],
                requests[n],
                answers[n],
                (arrivals or {}).get(n, {}),
                (arrive or {}).get(n),
                reset,
            )
            outputs.append(node.step(inputs))
        self._chain_end.step(requests[-1])
        return outputs
