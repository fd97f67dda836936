"""Groups of a small network, from set-up to the end, whatever software and processes do."""

import itertools
from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring

from syncfabric.models.layout.engine import EngineLayout, Kind
from syncfabric.models.messages.registers import Op
from tests.formal.engine_words import combination
from tests.formal.group_bench import ROUTERS, Group, Plan, Router, State, free_software
from tests.formal.properties import Properties

SETTLED = 8
"""Cycles from FREED to the last release; from the last answer to KILL there are two."""


class GroupsProof(wiring.Component):
    """Two groups on three nodes; claims are of the first.

    Members arrive when they like, with any data, for the last time or not; software ends a group by
    KILL whenever it likes, and sets it up again at once.

    Parameters
    ----------
    plans : tuple of Plan
        One a group.
    eager : int
        In so many cycles after reset software does at once what it may, and nothing else happens.
    """

    def __init__(self, plans: tuple[Plan, ...], eager: int) -> None:
        self._plans, self._eager = plans, eager
        super().__init__(free_software())

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, layout = Properties(m), EngineLayout(2, True, len(self._plans), 1, "bitwise")
        cycle, eager = Signal(range(self._eager + 1)), Signal()
        m.d.comb += eager.eq(cycle != self._eager)
        m.d.sync += cycle.eq(cycle + eager)
        groups = [Group(m, self, g, plan, eager) for g, plan in enumerate(self._plans)]
        routers = [Router(m, layout, self, r, eager) for r in range(ROUTERS)]
        for low, high in itertools.pairwise(routers):
            for here, p, there, q in ((low, 0, high, 1), (high, 1, low, 0)):
                out, come = getattr(here.engine, f"out_{p}"), getattr(there.engine, f"in_{q}")
                m.d.comb += [come.valid.eq(out.valid), come.message.eq(out.message)]
        for each in routers:
            each.drive(m, self, groups, layout)
        group = groups[0]
        members = [_Member(m, claims, self, group, router) for router in routers]

        broken = Signal()  # this instance is being killed, or has been
        with m.If(group.kills):
            m.d.sync += broken.eq(1)
        with m.Elif(group.went):
            m.d.sync += broken.eq(group.state == State.KILLING)
        ever = Signal()
        m.d.sync += ever.eq(ever | Cat(each.kills for each in groups).any())

        for r, member in enumerate(members):
            others = []
            for q, other in enumerate(members):
                ahead = (other.arrivals - member.releases)[:2]
                others.append(
                    Const(~group.members >> q & 1)
                    | (((ahead == 1) | (ahead == 2)) & (other.instance == member.instance))
                )
            claims.holds(
                f"process {r} is released only after all members arrived in that episode",
                ~member.released | Cat(others).all(),
            )
            claims.holds(
                f"process {r} is released once for each arrival",
                ~member.released | ((member.arrivals - member.releases)[:2] == 1),
            )
            parity = member.releases[0]
            words = [
                (Const(group.members >> q & 1), Mux(parity, other.words[1], other.words[0]))
                for q, other in enumerate(members)
            ]
            claims.holds(
                f"process {r} gets the combination of all members' words",
                ~member.released | (member.result == combination(Const(Op.XOR), words)),
            )
        claims.lemma(
            "only members are released, or broken",
            Cat(~member.comes | (group.members >> r & 1) for r, member in enumerate(members)).all(),
        )
        claims.holds(
            "a member is broken only if its group is killed",
            ~Cat(member.broken for member in members).any() | broken | group.kills,
        )
        claims.holds(
            "a group ends by LAST only if all members arrived for the last time",
            ~group.freed
            | Cat(
                Const(~group.members >> r & 1) | member.last for r, member in enumerate(members)
            ).all(),
        )
        overflows = [
            queue.overflow & (queue.message.kind != Kind.BROKEN)
            for router in routers
            for queue in router.queues
        ]
        claims.holds("no message is dropped but BROKEN", ~Cat(overflows).any())
        claims.holds(
            "without KILL no message is unexpected",
            ever | ~Cat(router.engine._counters.unexpected for router in routers).any(),
        )
        claims.lemma("GO is accepted", ~Cat(router.goes_wrong for router in routers).any())
        alive = Cat(
            router.alive[group.entries[r]] & (group.tree >> r & 1)
            for r, router in enumerate(routers)
        )
        by_kill, off = Signal(), group.state == State.OFF
        with m.If(group.kills):
            m.d.sync += by_kill.eq(1)
        with m.Elif(group.starts):
            m.d.sync += by_kill.eq(0)
        claims.holds(
            "when all routers have answered KILL no entry is alive", ~(off & by_kill) | ~alive.any()
        )
        quiet = Signal(range(SETTLED + 1))
        m.d.sync += quiet.eq(Mux(~off | group.starts, 0, Mux(quiet == SETTLED, SETTLED, quiet + 1)))
        rest = [alive.any()]
        rest += [router.port.ready[group.entries[r]] for r, router in enumerate(routers)]
        gone = off & (quiet == Mux(by_kill, 2, SETTLED))
        claims.holds(
            f"nothing is left of a group, {SETTLED} cycles after FREED and 2 after KILL",
            ~gone | ~Cat(rest).any(),
        )
        seen, last = Signal(4), ROUTERS - 1
        waits = Cat(member.arrivals != member.releases for member in members)
        m.d.sync += seen.eq(
            seen
            | Cat(
                members[last].released & (members[last].kind == Kind.PLAIN),
                group.went,
                group.went & seen[1],
                group.kills
                & waits.any()
                & (waits != group.members)
                & (group.state == State.RUNNING),
            )
        )
        if self._eager:
            claims.reached(
                "a group ends by LAST at its first barrier, and nothing is left",
                gone & ~ever & (group.made == group.tree),
            )
            claims.reached(
                "a barrier is passed, the group ends by LAST, and nothing is left",
                gone & seen[0] & ~ever,
            )
        claims.reached(
            "a group is killed between two arrivals, and nothing is left",
            gone & seen[3],
        )
        claims.reached("a group is set up again without KILL", seen[2] & ~ever)
        return m


class _Member:
    """What one process sees of the group, kept beside it.

    Attributes
    ----------
    comes, released, broken : Value
        An answer comes; it is a release, unbroken; it breaks the group.
    kind, result : Value
        Its kind and data.
    arrivals, releases : Signal
        How many, modulo 4, in this instance.
    instance : Signal
        Its epoch.
    words, last : Signal
        Of arrivals, by their number's lowest bit; whether the latest is the last.
    """

    def __init__(
        self, m: Module, claims: Properties, wrapper: Any, group: Group, router: Router
    ) -> None:
        r, port, release = router.number, router.port, router.engine.release
        entry = group.entries[r]

        def of(name: str) -> Value:
            return getattr(wrapper, f"{name}_{r}")[entry]

        self.kind, self.result = release.message.kind, release.message.data
        self.comes = release.valid & (release.message.entry == entry)
        starts = self.comes & (self.kind == Kind.GO)
        self.broken = self.comes & (self.kind == Kind.BROKEN)
        self.released = self.comes & ~self.kind[0]
        plain = self.comes & (self.kind == Kind.PLAIN)
        names = ("arrivals", "releases", "instance", "words")
        self.arrivals, self.releases, self.instance, self.words = (
            Signal(2, name=f"{name}_of_{r}") for name in names
        )
        self.last, may = Signal(name=f"last_of_{r}"), Signal(name=f"may_{r}")
        accepted = port.arrive[entry] & (plain | (may & ~self.comes))
        m.d.sync += may.eq(Mux(self.comes, ~self.kind[1], may) & ~accepted)
        with m.If(starts):
            m.d.sync += [
                Cat(self.arrivals, self.releases).eq(0),
                self.instance.eq(release.message.epoch),
            ]
        with m.Else():
            m.d.sync += [
                self.arrivals.eq(self.arrivals + accepted),
                self.releases.eq(self.releases + self.released),
            ]
        with m.If(accepted):
            m.d.sync += [
                self.last.eq(of("last")),
                self.words.bit_select(self.arrivals[0], 1).eq(of("data")),
            ]
        claims.lemma(
            f"process {r} sees its releases",
            port.released[entry] == (self.released | self.broken),
        )
