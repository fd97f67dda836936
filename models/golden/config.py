"""The config chain, and the words that a node or a node interface has on it."""

from collections.abc import Collection, Iterable

from syncfabric.models.golden.counters import Counters
from syncfabric.models.golden.engine.commands import Request
from syncfabric.models.golden.engine.memory import Answer
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.layout.words import ADDRESS_BITS, PortWord, RouterWord, Target


class ConfigNode:
    """Cycle-exact model of a config node; what it drives depends on its registers alone.

    What the contract leaves open: a request that comes while another is at a target is dropped.

    Parameters
    ----------
    number : int
    targets : collection of int
        Those that are there.

    Attributes
    ----------
    answer : Answer or None
        On the chain, to the host.
    """

    def __init__(self, number: int, targets: Collection[int]) -> None:
        self._number, self._targets = number, targets
        self._register: ConfigRequest | None = None
        self._missing: Answer | None = None
        self.answer: Answer | None = None

    @property
    def passing(self) -> ConfigRequest | None:
        """The request at the next node."""
        request = self._register
        return request if request and request.node != self._number else None

    @property
    def is_idle(self) -> bool:
        """Whether no request and no answer is here."""
        return self._register is None and self._missing is None and self.answer is None

    def request(self, target: int) -> Request | None:
        """Return the request at a target of this node."""
        here = self._register
        if not here or here.node != self._number or here.address >> ADDRESS_BITS != target:
            return None
        return Request(here.write, here.address % (1 << ADDRESS_BITS), here.data)

    def step(
        self, request: ConfigRequest | None, further: Answer | None, targets: Answer | None
    ) -> None:
        """Go over a clock edge.

        Parameters
        ----------
        request : ConfigRequest or None
            From the host.
        further : Answer or None
            From further on.
        targets : Answer or None
            From the target of the request that is here.
        """
        here = self._register if not self.passing else None
        ready = self._missing or targets
        if not here or ready:
            self._register = request
        is_missing = here and here.address >> ADDRESS_BITS not in self._targets
        self._missing = Answer(True) if is_missing and not ready else None
        self.answer = ready or further


class Words:
    """A config node, with the words of target 1, and those of a node port.

    Parameters
    ----------
    number : int
        On the config chain.
    targets : collection of Target
        Those that are there.
    words : collection of RouterWord
        Those of target 1.
    fence_bits : int
        Ports with check bits; 0: there is no FENCE.
    counters : bool
        Counters are built.

    Attributes
    ----------
    config : ConfigNode
    fence : int
        Ports that are closed, a bit each.
    """

    def __init__(
        self,
        number: int,
        targets: Collection[Target],
        words: Collection[RouterWord],
        fence_bits: int,
        *,
        counters: bool,
    ) -> None:
        self.config = ConfigNode(number, targets)
        self._targets, self._words, self._fence_bits = targets, words, fence_bits
        self._counters = Counters(RouterWord, built=counters)
        self._answer: Answer | None = None
        self.fence = 0

    @property
    def is_idle(self) -> bool:
        """Whether no request is here, and nothing is still to be counted."""
        return self.config.is_idle and self._counters.is_idle and not self._answer

    def counter(self, word: RouterWord) -> int:
        """Return a counter."""
        return self._counters[word]

    def step(
        self,
        request: ConfigRequest | None,
        further: Answer | None,
        answer: Answer | None,
        refused: int,
        events: Iterable[RouterWord],
    ) -> None:
        """Go over a clock edge.

        Parameters
        ----------
        request, further : ConfigRequest or None, Answer or None
            From the chain's two sides.
        answer : Answer or None
            Of the engine, or of the manager, in this cycle.
        refused : int
            The node port's counter in this cycle.
        events : iterable of RouterWord
            Counters of what happens.
        """
        answered = self._answer
        self._answer = None if answered else self._serve(refused)
        self.config.step(request, further, answer or answered)
        self._counters.step(events)

    def _serve(self, refused: int) -> Answer | None:
        """Return the next cycle's answer, and do a write."""
        request = self.config.request(Target.ROUTER)
        if request and Target.ROUTER in self._targets:
            return self._serve_router(request)
        request = self.config.request(Target.PORT)
        if request and Target.PORT in self._targets:
            found = request[:2] == (False, PortWord.REFUSED_ARRIVE)
            return Answer(False, refused) if found else Answer(True)
        return None

    def _serve_router(self, request: Request) -> Answer:
        if request.address not in self._words:
            return Answer(True)
        if request.address in self._counters:
            return Answer(request.write, 0 if request.write else self._counters[request.address])
        if request.write:
            self.fence = request.data & (1 << self._fence_bits) - 1
            return Answer(False)
        return Answer(False, self.fence)
