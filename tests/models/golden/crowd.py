"""The software of all nodes at once: scripts that ask, arrive and listen, a step a cycle."""

from collections import deque
from collections.abc import Callable, Generator, Iterable
from typing import Any, TypeAlias

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import SPILL_BASE, Kind
from tests.models.golden.life_story import Life, Member
from tests.models.golden.set_up_bench import SetUpBench

__all__ = ["Crowd", "Script", "goes_on"]

Script: TypeAlias = Generator[None, None, None]
"""What somebody does: goes on once a cycle."""


def goes_on(script: Script) -> bool:
    """Go on with a script; return whether it has not come to its end."""
    try:
        next(script)
    except StopIteration:
        return False
    return True


class Crowd:
    """Steps a model with what scripts ask for, and lets members hear what they are told.

    Parameters
    ----------
    made : SetUpBench
        A network with ``spill``.
    """

    def __init__(self, made: SetUpBench[Any]) -> None:
        self.model = made.model
        self.living: dict[int, Life] = {}
        self._requests: deque[tuple[ConfigRequest, list[int | None]]] = deque()
        self._asked: deque[list[int | None]] = deque()
        self._alone = False
        self._arrive: dict[tuple[int, int], int] = {}
        self._last: list[tuple[int, int]] = []
        self._waiting: dict[int, deque[tuple[int, int, bool]]] = {}

    def run(self, scripts: Iterable[Script], most: int, each: Callable[[], None]) -> None:
        """Go on with all scripts until they have ended; ``each`` is called once a cycle."""
        left = list(scripts)
        for _ in range(most):
            left = [script for script in left if goes_on(script)]
            if not left:
                return
            each()
            self._step()
        raise AssertionError(f"groups {list(self.living)} hang")

    def ask(
        self, target: int, address: int, data: int | None = None
    ) -> Generator[None, None, int | None]:
        """Write a word, or read one; return the answer, None for an error."""
        answer: list[int | None] = []
        write = data is not None
        self._requests.append((ConfigRequest(target, address, write, data or 0), answer))
        while not answer:
            yield
        return answer[0]

    def arrive(self, gid: int, member: Member, data: int, last: bool) -> None:
        """Let a member arrive in this cycle, or where it is spilled, when its turn comes."""
        member.data.append(data)
        if member.register is None:
            self._waiting.setdefault(member.node, deque()).append((gid, data, last))
        else:
            key = member.node, member.register
            self._arrive[key] = data
            self._last += [key] * last

    def _step(self) -> None:
        """Step with the inputs that have been asked for, and hand out what comes of it."""
        config = None
        if self._requests and not self._alone:
            config, answer = self._requests.popleft()
            self._asked.append(answer)
            # No other request may be given before an entry's answer.
            self._alone = config.address >= SPILL_BASE
        spill_arrive = {
            node: waiting.popleft()
            for node, waiting in self._waiting.items()
            if waiting and self.model.spill_ready(node)
        }
        arrive, last = self._arrive, self._last
        self._arrive, self._last = {}, []
        self.model.step(arrive=arrive, last=last, spill_arrive=spill_arrive, config=config)
        ready, error, data = self.model.config_answer
        if ready:
            self._asked.popleft().append(None if error else data)
            self._alone = self._alone and bool(self._asked)
        for node, register, result in self.model.release:
            life, member = self._waiter(node, register)
            broken = self.model.broken(node, register)
            life.hear(member, Kind.BROKEN if broken else Kind.DISTRIBUTE, result)
        for node, gid, result, kind in self.model.spill_release:
            life = self.living[gid]
            life.hear(life.members[node], Kind(kind), result)

    def _waiter(self, node: int, register: int) -> tuple[Life, Member]:
        """Return who waits at a register."""
        for life in self.living.values():
            member = life.members.get(node)
            here = member is not None and member.register == register
            if member is not None and here and member.inside and not member.broken:
                return life, member
        raise AssertionError(f"released without an arrival: node {node}, register {register}")
