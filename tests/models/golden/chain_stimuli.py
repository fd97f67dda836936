"""Random stimuli of a config node, or of a chain of them, that follow the golden model."""

import random
from typing import NamedTuple

from syncfabric.models.golden.config import ConfigNode
from syncfabric.models.golden.engine.commands import Request
from syncfabric.models.golden.engine.memory import Answer
from syncfabric.models.golden.record import ConfigRequest
from tests.models.golden.registers import ChainEnd


class ConfigNodeInputs(NamedTuple):
    """Inputs of a config node: from the host, from further on, and from the target."""

    request: ConfigRequest | None
    further: Answer | None
    target: Answer | None


class ConfigNodeStimuli:
    """A config node whose host makes one request at a time, with targets of any latency.

    Left out is what rule 8 forbids: a request before the last one is answered.

    Parameters
    ----------
    number, nodes : int
        The node's, and how many numbers requests are drawn from.
    targets : set of int
        Those that are there.
    rng : random.Random
    """

    def __init__(self, number: int, nodes: int, targets: set[int], rng: random.Random) -> None:
        self.rng, self.number, self.nodes, self.targets = rng, number, nodes, targets
        self.node = ConfigNode(number, targets)
        self.open: ConfigRequest | None = None
        self.waits = 0

    def at_target(self) -> tuple[int, Request] | None:
        """Return the target that has a request, and the request."""
        requests = ((target, self.node.request(target)) for target in range(8))
        return next(((target, request) for target, request in requests if request), None)

    def inputs(self) -> ConfigNodeInputs:
        """Draw the inputs of a cycle."""
        rng = self.rng
        request = further = target = None
        if self.node.answer:
            self.open = None
        at = self.at_target()
        if self.open is None and rng.random() < 0.5:
            here = rng.random() < 0.7
            number = self.number if here else rng.choice((rng.randrange(self.nodes), 0xFFFF))
            words = rng.getrandbits(8), rng.getrandbits(32)
            self.open = request = ConfigRequest(number, words[0], rng.random() < 0.5, words[1])
            self.waits = rng.randrange(1, 5)
        elif self.open and self.open.node != self.number:
            self.waits -= 1
            further = self.answer() if self.waits == 0 else None
        elif at and at[0] in self.targets and rng.random() < 0.3:
            target = self.answer()
        return ConfigNodeInputs(request, further, target)

    def answer(self) -> Answer:
        return Answer(self.rng.random() < 0.3, self.rng.getrandbits(32))


class Chain:
    """Config nodes in a chain, with targets that answer after so many cycles, by node.

    Attributes
    ----------
    writes : list of (node, target, Request)
        What targets have got.
    """

    def __init__(self, targets: list[set[int]], delays: list[int]) -> None:
        self.nodes = [ConfigNode(number, there) for number, there in enumerate(targets)]
        self.targets, self.delays, self.end = targets, delays, ChainEnd()
        self.writes: list[tuple[int, int, Request]] = []
        self.age = 0

    def step(self, request: ConfigRequest | None) -> Answer | None:
        """Go through a cycle; return the host's answer in it."""
        answer = self.nodes[0].answer
        requests = [request, *(node.passing for node in self.nodes)]
        answers = [*(node.answer for node in self.nodes[1:]), self.end.answer]
        for number, node in enumerate(self.nodes):
            ready = None
            for target in self.targets[number]:
                found = node.request(target)
                if found and self.age == self.delays[number]:
                    self.writes.append((number, target, found))
                    ready, self.age = Answer(found.address == 31, 100 * number + target), 0
                elif found:
                    self.age += 1
            node.step(requests[number], answers[number], ready)
        self.end.step(requests[-1])
        return answer
