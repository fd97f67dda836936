"""Paper Reflex, Algorithm 1, as a program of each core over send and receive (role NONE)."""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from tests.models.golden.static_bench import Bench, Group
from tests.models.golden.static_play import Course, EarlyReleaseError, HangError

SEND, RECEIVE, ARRIVE, LEAVE = "SRAL"
"""Steps of a program: a flit sent, one taken, and the two ends of a barrier."""


def root_program(fillers: int) -> str:
    """Return what the root does in an episode: Notify, then Wait."""
    notify = ARRIVE + SEND
    wait = RECEIVE * (fillers + 1) + SEND * (fillers + 1) + RECEIVE
    return notify + wait + LEAVE


def member_program(fillers: int, wait: int) -> str:
    """Return what another core does; ``wait`` flits in Wait: 1 as printed, 2 corrected."""
    return ARRIVE + RECEIVE * (fillers + wait) + LEAVE


class Software:
    """Runs the programs of a ring's cores, at most one step of send or receive a cycle each.

    Parameters
    ----------
    bench : Bench
        With routes loaded, and roles NONE.
    group : Group
        A ring.
    wait : int
        See `member_program`.
    late : sequence of sequence of int
        By member and episode, the cycles that it lets pass before it arrives.
    fillers : int, optional
        Flits that Init sends; by default the places of a core buffer.
    """

    def __init__(
        self,
        bench: Bench,
        group: Group,
        wait: int,
        late: Sequence[Sequence[int]],
        fillers: int | None = None,
    ) -> None:
        self.bench, self.course, self.late = bench, Course(group), late
        core = bench.spec.core_buffer if fillers is None else fillers
        self.nodes = [bench.mesh.index(node) for node in group.members]
        self._left = [self._steps(i, core, wait) for i in range(len(self.nodes))]
        self._next = [next(steps) for steps in self._left]
        self._sleep = [late[i][0] for i in range(len(self.nodes))]

    def _steps(self, member: int, fillers: int, wait: int) -> Iterator[str]:
        program = member_program(fillers, wait) if member else root_program(fillers)
        init = "" if member else SEND * fillers
        yield from init
        for _ in self.late[member]:
            yield from program
        while True:
            yield ""

    def _advance(self, member: int) -> None:
        self._next[member] = next(self._left[member])

    def _arrive_and_leave(self, member: int) -> bool:
        """Go over the steps that take no cycle; return whether the core waits before them."""
        now, course = self.bench.model.cycle, self.course
        if self._next[member] == LEAVE:
            course.take(member, now)
            self._advance(member)
            done = len(course.released[member])
            self._sleep[member] = self.late[member][done] if done < len(self.late[member]) else 0
        if self._next[member] == ARRIVE:
            if self._sleep[member]:
                self._sleep[member] -= 1
                return True
            course.arrived[member].append(now)
            self._advance(member)
        return False

    def step(self) -> bool:
        """Go through a cycle; return whether anything could happen in it."""
        model, send, take = self.bench.model, {}, []
        asleep = False
        for member, node in enumerate(self.nodes):
            if self._arrive_and_leave(member):
                asleep = True
            elif self._next[member] == SEND and model.send_ready(node):
                send[node] = 1
                self._advance(member)
            elif self._next[member] == RECEIVE and model.received(node) is not None:
                take.append(node)
                self._advance(member)
        moved = bool(send or take or asleep or model.idle_until() is not None)
        self.bench.step(send=send, take=take)
        return moved

    def run(self) -> None:
        """Go on to the end of all programs.

        Raises
        ------
        EarlyReleaseError, HangError
        """
        while any(self._next):
            if not self.step() and any(self._next):
                raise HangError(f"after {self.course.episodes} episodes")

    def run_on(self) -> int:
        """Go on to the end, early releases or not; return how many cycles early the worst was."""
        take, worst = self.course.take, 0

        def note(member: int, cycle: int) -> None:
            with suppress(EarlyReleaseError):
                take(member, cycle)

        self.course.take = note  # type: ignore[method-assign]
        self.run()
        for episode in range(len(self.late[0])):
            last = max(cycles[episode] for cycles in self.course.arrived)
            first = min(cycles[episode] for cycles in self.course.released)
            worst = max(worst, last - first)
        return worst
