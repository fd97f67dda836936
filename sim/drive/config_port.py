"""The config port as software uses it: requests one a cycle, answers in their order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.networks.spec import EngineSpec, MessageSpec
from syncfabric.sim.assemble.player import Stimulus, StimulusKind
from syncfabric.sim.drive.commander import Heard
from syncfabric.sim.drive.targets import targets_of

__all__ = ["ConfigPort"]


class ConfigPort:
    """A queue of requests, and those that have no answer yet.

    Parameters
    ----------
    network : MeshSpec or IrregularSpec
        Whose config port it is.
    requests : iterable of ConfigRequest
        The first ones.

    Attributes
    ----------
    requests : deque of ConfigRequest
        Not yet given.
    awaits_answer : bool
        No further request may be given before an answer.
    answered : dict of int to ConfigRequest
        What is answered, by the answer's cycle; the caller clears it.
    """

    def __init__(self, network: MessageSpec, requests: Iterable[ConfigRequest]) -> None:
        self._targets = len(targets_of(network))
        self._chain = isinstance(network, EngineSpec)
        self.requests = deque(requests)
        self.awaits_answer = False
        self.answered: dict[int, ConfigRequest] = {}
        self._given: deque[ConfigRequest] = deque()
        self._heard: dict[int, Heard] = {}  # by the id of a request that is in one of the queues

    @property
    def may_ask(self) -> bool:
        """Whether there is a request that may be given."""
        return bool(self.requests) and not self.awaits_answer

    @property
    def all_given(self) -> bool:
        """Whether no request is left, and the next may be given at once."""
        return not self.requests and not self.awaits_answer

    @property
    def all_answered(self) -> bool:
        """Whether every request that was given has its answer."""
        return not self._given

    def ask(self, request: ConfigRequest, heard: Heard | None = None) -> None:
        """Put a request at the end of the queue; ``heard`` takes the answer."""
        self.requests.append(request)
        if heard is not None:
            self._heard[id(request)] = heard

    def ask_all(
        self,
        requests: Iterable[ConfigRequest],
        now: int,
        then: Callable[[int], None],
        each: Heard | None = None,
    ) -> None:
        """Put requests at the end of the queue, and go on when all are answered.

        Parameters
        ----------
        requests : iterable of ConfigRequest
            May be none.
        now : int
            This cycle.
        then : callable
            Is told the cycle of the last answer.
        each : Heard, optional
            Takes every answer.
        """
        asked = list(requests)
        left = len(asked)

        def heard(now: int, refused: bool, data: int) -> None:
            nonlocal left
            if each is not None:
                each(now, refused, data)
            left -= 1
            if not left:
                then(now)

        for request in asked:
            self.ask(request, heard)
        if not asked:
            then(now)

    def hear(self, now: int, answer: tuple[bool, bool, int]) -> None:
        """Take what the port answers in a cycle."""
        ready, refused, data = answer
        if not ready:
            return
        request = self.answered[now] = self._given.popleft()
        self.awaits_answer &= bool(self._given)
        heard = self._heard.pop(id(request), None)
        if heard is not None:
            heard(now, refused, data)

    def give(self, now: int) -> tuple[ConfigRequest, Stimulus]:
        """Give the next request in a cycle; return it, also as a stimulus."""
        request = self.requests.popleft()
        if request.node < self._targets or self._chain:
            self._given.append(request)
        self.awaits_answer = self._chain
        index = request.node << 12 | request.address
        return request, Stimulus(now, StimulusKind.CONFIG, index, request.data, int(request.write))
