# amaranth: UnusedElaboratable=no
"""Three nodes in a line with their engines, and two groups that software sets up and ends.

Engines, node ports and links are the hardware's; queues have as many places as there are entries,
and are shift registers, which is what proofs of their own say of them. Packets and managers are
not: a command reaches a router in any cycle after the rules of docs/setup.md let software send it,
and software sees an answer in any cycle after.
"""

from enum import IntEnum
from typing import Any
from unittest.mock import patch

from amaranth import Array, Cat, Module, Mux, Signal, Value
from amaranth.lib.wiring import In

from syncfabric.models.layout.engine import Code, EngineLayout, Kind
from syncfabric.models.messages.registers import Op
from syncfabric.rtl.engine import engine as module
from syncfabric.rtl.engine.commands import Commands
from syncfabric.rtl.engine.engine import Engine
from syncfabric.rtl.engine.node_port import NodePort
from syncfabric.rtl.engine.rule import EntryMemory
from syncfabric.rtl.engine.sources import Queue
from syncfabric.rtl.messages import struct

ROUTERS, GROUPS = 3, 2
Plan = tuple[int, int]
"""Number of the root's router, and a bit for each process that is a member."""


class State(IntEnum):
    """What software is at with a group."""

    OFF, SETTING, RUNNING, KILLING = range(4)


class _Offered(Commands):
    """Shows what the wrapper drives."""

    def elaborate(self, platform: object) -> Module:
        return Module()


class _Shift(Queue):
    """Shows its messages, the head first."""

    def __init__(self, layout: EngineLayout) -> None:
        super().__init__(layout)
        count = layout.entries + 1
        self.valids = Signal(count)
        self.messages = [Signal(struct(layout.message), name=f"place_{i}") for i in range(count)]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        valids, messages, take = self.valids, self.messages, self.take
        broken = self.message.kind == Kind.BROKEN
        left = Signal.like(valids)
        m.d.comb += [
            left.eq(Mux(take, valids >> 1, valids)),
            self.waits.eq(left[0]),
            self.comes.eq(self.valid),
            self.overflow.eq(self.valid & Mux(broken, left[0], valids[1:].all())),
            self.head.eq(messages[0]),
        ]
        adds = self.valid & ~self.overflow
        m.d.sync += valids.eq(Mux(adds, left << 1 | 1, left))
        for i, message in enumerate(messages):
            later = messages[i + 1] if i + 1 < len(messages) else message
            stays = Mux(take, later, message)
            m.d.sync += message.eq(Mux(left[i], stays, self.message))
        return m

    def holds(self, entry: int) -> Value:
        """Return whether there is a message for an entry."""
        return Cat(
            valid & (message.entry == entry)
            for valid, message in zip(self.valids, self.messages, strict=True)
        ).any()


def free_software() -> dict[str, Any]:
    """Return the free inputs of a wrapper: of software, and of processes."""
    ones = ("begins", "who", "late")
    ports: dict[str, Any] = {f"{name}_{r}": In(1) for name in ones for r in range(ROUTERS)}
    names = ("arrive", "last", "data")
    ports |= {f"{name}_{r}": In(GROUPS) for name in names for r in range(ROUTERS)}
    for g in range(GROUPS):
        ports |= {f"starts_{g}": In(1), f"kills_{g}": In(1)}
    return ports


class Group:
    """A group's plan, and what software is at with it.

    Attributes
    ----------
    root, members, tree : int
        Number of a router; processes, and routers that have an entry, a bit each.
    entries : list of int
        Its entry at each router.
    state, epoch : Signal
        Of the last instance that was begun.
    made, killed : Signal
        Routers that have answered SETUP, and KILL, of that instance with OK.
    starts, kills : Value
        Software begins an instance, or to end it by KILL.
    went, freed : Signal
        GO is done; the root reports the end.
    """

    def __init__(self, m: Module, wrapper: Any, g: int, plan: Plan, eager: Value) -> None:
        self.root, self.members = plan
        # A router is in the tree if it is the root, or leads away from it to a member.
        sides = [
            range(r + 1) if r < self.root else range(r, ROUTERS if r > self.root else 0)
            for r in range(ROUTERS)
        ]
        leads = [any(self.members >> q & 1 for q in side) for side in sides]
        self.tree = sum(1 << r for r in range(ROUTERS) if r == self.root or leads[r])
        self.entries = [(g + r) % GROUPS for r in range(ROUTERS)]
        self.state, self.epoch = Signal(State, name=f"state_{g}"), Signal(2, name=f"epoch_{g}")
        self.made, self.killed = (
            Signal(ROUTERS, name=f"{name}_{g}") for name in ("made", "killed")
        )
        self.freed, self.went = (Signal(name=f"{name}_{g}") for name in ("freed", "went"))
        off = self.state == State.OFF
        self.starts = (getattr(wrapper, f"starts_{g}") | eager) & off
        self.kills = getattr(wrapper, f"kills_{g}") & (self.state != State.KILLING) & ~eager
        with m.If(self.kills):
            m.d.sync += [self.state.eq(State.KILLING), self.killed.eq(0)]
        with m.Elif(self.starts):
            m.d.sync += [
                self.state.eq(State.SETTING),
                self.epoch.eq(self.epoch + 1),
                self.made.eq(0),
            ]
        with m.Elif((self.state == State.SETTING) & self.went):
            m.d.sync += self.state.eq(State.RUNNING)
        with m.Elif((self.state == State.RUNNING) & self.freed):
            m.d.sync += self.state.eq(State.OFF)
        with m.Elif((self.state == State.KILLING) & (self.killed == self.tree)):
            m.d.sync += self.state.eq(State.OFF)

    def may(self, r: int, late: Value, left: Value) -> tuple[Value, Value]:
        """Return whether a command may be sent to a router now, and which.

        The root comes last. Until a router is killed, a SETUP of which software awaits no answer
        any more may come. No router is set up while a message of the former group waits there.
        """
        kill = (self.state == State.KILLING) & ~self.killed[r]
        setup = ((self.state == State.SETTING) | (kill & late)) & ~self.made[r] & ~left
        if r == self.root:
            setup &= self.made == self.tree & ~(1 << r)
        there = self.tree >> r & 1
        return (setup | kill) & there, Mux(setup, Code.SETUP, Code.KILL)

    def image(self, m: Module, layout: EngineLayout, r: int, g: int) -> Signal:
        """Return the image of a router: links are 0 to the next, and 1 to the one before."""
        image = Signal(struct(layout.image), name=f"image_{g}_{r}")
        away = r >= self.root, r <= self.root
        children = self.members >> r & 1
        for p, near in reversed([*enumerate((r + 1, r - 1))]):
            child = away[p] and 0 <= near < ROUTERS and self.tree >> near & 1
            children = children << 1 | child
            if 0 <= near < ROUTERS:
                entry = (g + near) % GROUPS
                m.d.comb += getattr(image, f"entry_{p}").eq(entry)
                m.d.comb += getattr(image, f"epoch_{p}").eq(self.epoch)
        parent = 0 if r == self.root else (2 if r > self.root else 1)
        m.d.comb += [image.children.eq(children), image.parent.eq(parent), image.op.eq(Op.XOR)]
        return image


class Router:
    """An engine and the node port of its process, and software that sends it commands.

    Attributes
    ----------
    engine : Engine
    port : NodePort
    commands : Commands
    memory : EntryMemory
    queues : list of Queue
    alive : Signal
        Entries that are.
    """

    def __init__(self, m: Module, layout: EngineLayout, wrapper: Any, r: int, eager: Value) -> None:
        self.number, self._eager = r, eager
        self.commands = _Offered(layout)
        self.memory = EntryMemory(layout, block=False)
        self.queues = [_Shift(layout) for _ in range(layout.links)]
        turns = iter(self.queues)
        with patch.multiple(
            module,
            Queue=lambda *_, **__: next(turns),
            Commands=lambda _: self.commands,
            EntryMemory=lambda *_, **__: self.memory,
        ):
            self.engine = engine = Engine(layout, stages=1, counters=False, read_back=False)
            m.submodules[f"engine_{r}"] = engine.elaborate(None)
        self.port = port = NodePort(layout, GROUPS, counted=False)
        m.submodules[f"port_{r}"] = port
        m.d.comb += [
            *(
                getattr(port, name).eq(Mux(eager, 0, getattr(wrapper, f"{name}_{r}")))
                for name in ("arrive", "last", "data")
            ),
            engine.arrive.valid.eq(port.send.valid),
            engine.arrive.message.eq(port.send.message),
            port.granted.eq(engine.arrive_ready),
            port.answer.valid.eq(engine.release.valid),
            port.answer.message.eq(engine.release.message),
        ]
        self.alive = Signal(layout.entries, name=f"alive_{r}")
        with m.If(self.memory.write_state):
            m.d.sync += self.alive.bit_select(self.memory.write_entry, 1).eq(
                self.memory.next_state.alive
            )

    def drive(self, m: Module, wrapper: Any, groups: list[Group], layout: EngineLayout) -> None:
        """Let software send this router any command that it may, one at a time."""
        r, commands = self.number, self.commands
        busy, loaded, begins = (Signal(name=f"{name}_{r}") for name in ("busy", "loaded", "begins"))
        group, code = Signal(name=f"group_{r}"), Signal(2, name=f"code_{r}")
        late = getattr(wrapper, f"late_{r}")
        images = [each.image(m, layout, r, n) for n, each in enumerate(groups)]
        left = [Cat(queue.holds(each.entries[r]) for queue in self.queues).any() for each in groups]
        choices = [each.may(r, late, some) for each, some in zip(groups, left, strict=True)]
        wanted = Mux(self._eager, ~choices[0][0], getattr(wrapper, f"who_{r}"))
        who = Mux(begins, group, wanted)
        may = Array([choice[0] for choice in choices])[who] | begins
        what = Mux(begins, Code.GO, Array([choice[1] for choice in choices])[who])
        with m.If(~busy & (getattr(wrapper, f"begins_{r}") | self._eager) & may):
            m.d.sync += [busy.eq(1), group.eq(who), code.eq(what)]
        epoch = Array([each.epoch for each in groups])[group]
        m.d.comb += [
            commands.command_valid.eq(busy & ~loaded),
            commands.code.eq(code),
            commands.epoch.eq(epoch - (code == Code.SETUP)),
            commands.entry.eq(Array(each.entries[r] for each in groups)[group]),
            commands.image.as_value().eq(Array(image.as_value() for image in images)[group]),
        ]
        with m.If(commands.command_valid & commands.granted):
            m.d.sync += loaded.eq(1)
        done = commands.done & loaded
        with m.If(done):
            m.d.sync += [busy.eq(0), loaded.eq(0)]
        self.goes_wrong = done & (code == Code.GO) & ~commands.accepted
        for n, each in enumerate(groups):
            ok = done & (group == n) & commands.accepted
            root = int(each.root == r)
            with m.If(ok & (code == Code.SETUP)):
                m.d.sync += [each.made[r].eq(1), begins.eq(root)]
            with m.If(ok & (code == Code.KILL)):
                m.d.sync += each.killed[r].eq(1)
            with m.If(ok & (code == Code.GO)):
                m.d.sync += begins.eq(0)
                m.d.comb += each.went.eq(1)
            engine = self.engine
            with m.If(
                engine.freed_valid
                & root
                & (engine.freed_entry == each.entries[r])
                & (engine.freed_epoch == each.epoch)
            ):
                m.d.comb += each.freed.eq(1)
