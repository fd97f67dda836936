"""What is between nodes: registers on a link, and the end of the config chain."""

from collections import deque

from syncfabric.models.golden.engine.memory import Answer
from syncfabric.models.golden.link import Back, Forward
from syncfabric.models.golden.record import ConfigRequest


class Link:
    """Registers on the wires of one directed link; 0 to 3 in both directions."""

    def __init__(self, registers: int) -> None:
        self._forward = deque([Forward()] * registers)
        self._back = deque([Back()] * registers)

    def step(self, forward: Forward, back: Back) -> tuple[Forward, Back]:
        """Go through a cycle; return what is at the far ends in it."""
        self._forward.append(forward)
        self._back.append(back)
        return self._forward.popleft(), self._back.popleft()


class ChainEnd:
    """The end of the chain: answers each request with an error.

    Attributes
    ----------
    answer : Answer or None
    """

    def __init__(self) -> None:
        self.answer: Answer | None = None

    def step(self, request: ConfigRequest | None) -> None:
        """Go over a clock edge."""
        self.answer = Answer(True) if request else None
