"""A group that has operations in place of barriers, one collective after another."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

from syncfabric.models.golden.static import StaticModel
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.reach import reach
from syncfabric.models.planning.route_chain import Output
from syncfabric.models.planning.static_images import NumberedGroup
from syncfabric.models.planning.token_ring import token_routes
from syncfabric.sim.drive.arrivals import GroupArrivals
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.static.collectives.asked import THROUGH_CORES, Collective
from syncfabric.sim.drive.static.collectives.core import Core
from syncfabric.sim.drive.static.collectives.programs import Seat, core_of, joined
from syncfabric.sim.drive.static.collectives.turns import Turn
from syncfabric.sim.drive.static.collectives.words import words_of

__all__ = ["Course"]


class Course:
    """A group whose routes are loaded, its members' software, and when each begins an operation.

    Parameters
    ----------
    network : StaticSpec
    group : NumberedGroup
    asked : sequence of (int, Collective)
        What it is to do, in turn, each with its place in the scenario.
    scenario : Scenario
    number : int
        The course's own.
    begin : callable
        Takes (cycle, member): the member shall begin an operation in that cycle.

    Attributes
    ----------
    id, members, root, flits
        As of the group.
    waits : bool
        They are not loaded yet.
    """

    def __init__(
        self,
        network: StaticSpec,
        group: NumberedGroup,
        asked: Sequence[tuple[int, Collective]],
        scenario: Scenario,
        number: int,
        begin: Callable[[int, int], None],
    ) -> None:
        self._group, self._asked, self._scenario = group, asked, scenario
        self.id, self.members = group.id, group.members
        self.root, self.flits = group.root, group.flits
        self._number, self._bits, self._begin = number, network.flit_bits, begin
        mesh, root = network.topology, group.root
        order = list(reach(mesh, group))
        others = [node for node in order if node != root]
        ring = group.flits is None
        self.nodes = [mesh.index(node) for node in group.members]
        self._seats = [
            Seat(member, group.members.index(root), ring and node == others[-1], ring)
            for member, node in enumerate(group.members)
        ]
        self._cores: dict[int, Core] = {}
        self._phase = 0
        self._ended: list[tuple[int, int | None]] = []
        self._rng = random.Random(f"{scenario.seed}/{group.id}")
        self.waits = False
        self._arrivals = self._plan()

    @property
    def finished(self) -> bool:
        """Whether everything asked for is done."""
        return self._phase == len(self._asked)

    @property
    def done(self) -> int:
        """Operations that all members have ended."""
        over = self._phase * self._scenario.episodes
        return over if self.finished else over + len(self._arrivals.latency)

    def routes(self) -> Mapping[Output, Port]:
        """Return the group's routes, as they have to be for what it does now."""
        asked = self._asked[min(self._phase, len(self._asked) - 1)][1]
        through_cores = asked.kind in THROUGH_CORES
        return token_routes(self._group) if through_cores else self._group.routes()

    def open(self, cycle: int) -> None:
        """Begin what is asked for, the routes being loaded."""
        self.waits = False
        self._arrivals.begin(cycle)

    def start(self, now: int, member: int) -> Turn:
        """Let a member begin its next operation."""
        place, asked = self._asked[self._phase]
        operation = self._arrivals.arrived[member]
        bits = self._bits * asked.flits
        words = words_of(self._scenario.seed, place, operation, len(self._seats), bits)
        self._cores[member] = core_of(asked, self._seats[member], words, self._bits, now)
        self._arrivals.took(now, member)
        return Turn(now, self._number, member)

    def next_cycle(self, now: int, model: StaticModel) -> int | None:
        """Return the first cycle from ``now`` on in which a member acts or has ended."""
        if self._ended:
            return now
        first: int | None = None
        for member, core in self._cores.items():
            node = self.nodes[member]
            arrived, credit = model.received(node) is not None, model.send_ready(node)
            cycle = core.next_cycle(now, arrived=arrived, credit=credit)
            if cycle is not None and (first is None or cycle < first):
                first = cycle
        return first

    def end(self, now: int) -> list[Turn]:
        """Return the members that have ended an operation in the cycle before."""
        turns = []
        ended, self._ended = self._ended, []
        for member, word in ended:
            turns.append(Turn(now, self._number, member, True, word))
            self._arrivals.release(now, member)
        if self._arrivals.finished and not self.finished and not self.waits:
            self._turn_over(now)
        return turns

    def step(self, now: int, model: StaticModel) -> list[tuple[int, bool, int | None]]:
        """Let the members' software act; return node, whether it takes, and what it sends."""
        acts = []
        for member, core in list(self._cores.items()):
            node = self.nodes[member]
            act = core.step(now, model.received(node), credit=model.send_ready(node))
            if act.take or act.send is not None:
                acts.append((node, act.take, act.send))
            if core.finished:
                del self._cores[member]
                self._ended.append((member, self._word(core)))
        return acts

    def _word(self, core: Core) -> int | None:
        if not core.kept:
            return None
        return joined(core.kept, self._asked[self._phase][1], self._bits)

    def _turn_over(self, now: int) -> None:
        """Go on to the next collective, whose routes may be other ones."""
        before = self.routes()
        self._phase += 1
        if self.finished:
            return
        self._arrivals = self._plan()
        self.waits = self.routes() != before
        if not self.waits:
            self.open(now)

    def _plan(self) -> GroupArrivals:
        seats = [(node, 0) for node in self.nodes]
        return GroupArrivals(self._group, seats, self._scenario, self._rng, self._begin)  # type: ignore[arg-type]
