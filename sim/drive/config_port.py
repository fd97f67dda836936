"""The config port as software uses it: a request after the answer to the last."""

from collections import deque
from collections.abc import Callable, Generator, Sequence
from typing import TypeAlias, TypeVar

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.sim.assemble.script import Stimulus, StimulusKind
from syncfabric.sim.lifecycle.effects import Answer, Pause, Step, Steps

OnAnswer: TypeAlias = Callable[[int, bool, int], None]
"""Takes an answer of the config port: its cycle, whether the request was refused, the data."""

Ask: TypeAlias = Callable[[ConfigRequest, OnAnswer | None], None]
"""Puts a request into the queue for the config port."""


class ConfigPort:
    """A queue of requests, which the chain takes one at a time.

    Attributes
    ----------
    requests : deque of ConfigRequest
        Not yet given.
    answered : dict of int to ConfigRequest
        What is answered, by the answer's cycle.
    """

    def __init__(self) -> None:
        self.requests: deque[ConfigRequest] = deque()
        self.answered: dict[int, ConfigRequest] = {}
        self._given: ConfigRequest | None = None
        self._on_answer: dict[int, OnAnswer] = {}  # by the id of a request that has no answer

    @property
    def awaits_answer(self) -> bool:
        """Whether no further request may be given before an answer."""
        return self._given is not None

    @property
    def may_ask(self) -> bool:
        """Whether there is a request that may be given."""
        return bool(self.requests) and not self.awaits_answer

    @property
    def is_idle(self) -> bool:
        """Whether every request has been given and answered."""
        return not self.requests and not self.awaits_answer

    def ask(self, request: ConfigRequest, on_answer: OnAnswer | None = None) -> None:
        """Put a request at the end of the queue; ``on_answer`` takes the answer."""
        self.requests.append(request)
        if on_answer is not None:
            self._on_answer[id(request)] = on_answer

    def ask_all(self, requests: Sequence[ConfigRequest], then: Callable[[int], None]) -> None:
        """Put requests at the end of the queue; ``then`` takes the cycle of the last answer."""
        for request in requests:
            self.ask(request)
        self._on_answer[id(requests[-1])] = lambda now, refused, data: then(now)

    def receive(self, now: int, answer: tuple[bool, bool, int]) -> None:
        """Take what the port answers in a cycle."""
        ready, refused, data = answer
        if not ready or self._given is None:
            return
        request, self._given = self._given, None
        self.answered[now] = request
        on_answer = self._on_answer.pop(id(request), None)
        if on_answer is not None:
            on_answer(now, refused, data)

    def give(self, now: int) -> tuple[ConfigRequest, Stimulus]:
        """Give the next request in a cycle; return it, also as a stimulus."""
        request = self._given = self.requests.popleft()
        index = request.node << 12 | request.address
        return request, Stimulus(now, StimulusKind.CONFIG, index, request.data, int(request.write))


T = TypeVar("T")
Cycles: TypeAlias = Generator[None, None, T]
"""Goes on a cycle each time it is resumed."""


def perform(steps: Steps[T], port: ConfigPort, now: Callable[[], int]) -> Cycles[T]:
    """Perform a program; return its result. ``now`` returns the cycle.

    Raises
    ------
    FoundError
        The program's.
    """
    try:
        step = next(steps)
        while True:
            step = steps.send((yield from _do(step, port, now)))
    except StopIteration as end:
        result: T = end.value
        return result


def _do(step: Step, port: ConfigPort, now: Callable[[], int]) -> Cycles[list[Answer]]:
    """Do one step of a program; return the answers to its requests."""
    answers: list[Answer] = []

    def receive(cycle: int, refused: bool, data: int) -> None:
        answers.append((refused, data))

    if isinstance(step, Pause):
        end = now() + step.cycles
        while now() < end:
            yield
        return answers
    for target, address, word in step.requests:
        port.ask(ConfigRequest(target, address, word is not None, word or 0), receive)
    while len(answers) < len(step.requests):
        yield
    return answers
