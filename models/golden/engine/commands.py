"""Config port and counters of a collective engine (E7, E10)."""

from collections.abc import Sequence
from typing import NamedTuple

from syncfabric.models.golden.counters import Counters
from syncfabric.models.golden.engine.memory import Answer, Commit
from syncfabric.models.layout.engine import COMMIT, WORD_BITS, EngineLayout
from syncfabric.models.layout.words import EngineWord


class Request(NamedTuple):
    """A request to the config port, the same in each cycle until and with its answer."""

    write: bool
    address: int
    data: int = 0


class Commands:
    """Staged image, counters, and the answer to each request.

    Parameters
    ----------
    layout : EngineLayout
    counters : bool
        The counters are built; otherwise they read 0.

    Attributes
    ----------
    staged : int
        The staged image.
    answer : Answer or None
        The answer in this cycle.
    is_idle : bool
        Nothing changes without a request.
    """

    def __init__(self, layout: EngineLayout, *, counters: bool) -> None:
        self._bits = layout.image.width
        self._image = range(EngineWord.IMAGE, EngineWord.IMAGE + layout.image_words)
        self._counters = Counters(EngineWord, built=counters)
        self._loaded = False
        self.staged = 0
        self.answer: Answer | None = None
        self.is_idle = True

    def offered(self, request: Request | None) -> Commit | None:
        """Return the command that the local source may load in this cycle."""
        if (
            request is None
            or self.answer
            or self._loaded
            or request[:2] != (True, EngineWord.COMMIT)
        ):
            return None
        return Commit(**COMMIT.unpack(request.data))

    def step(
        self,
        request: Request | None,
        executed: Answer | None,
        events: Sequence[EngineWord],
        *,
        loaded: bool,
    ) -> None:
        """Go over a clock edge.

        Parameters
        ----------
        request : Request or None
        executed : Answer or None
            The answer of the command that is executed in this cycle.
        events : sequence of EngineWord
            What is counted in this cycle.
        loaded : bool
            The local source loads the command that is offered.
        """
        if request is None and not events and self.is_idle and executed is None:
            return
        was_answered = self.answer is not None
        self.answer = executed
        if request and not was_answered and request[:2] != (True, EngineWord.COMMIT):
            self.answer = self._access(request)
        self._loaded = (self._loaded or loaded) and executed is None
        self._counters.step(events)
        self.is_idle = self.answer is None and not self._loaded and self._counters.is_idle

    def _access(self, request: Request) -> Answer:
        write, address, data = request
        if write and address in self._image:
            at = (address - EngineWord.IMAGE) * WORD_BITS
            staged = self.staged & ~((1 << WORD_BITS) - 1 << at) | data << at
            self.staged = staged & (1 << self._bits) - 1
            return Answer(False)
        if not write and address in self._counters:
            return Answer(False, self._counters[address])
        return Answer(True)
