"""Many groups that managers set up and end at once, more than there are registers."""

import random
from collections import Counter as Tally
from collections.abc import Callable, Generator
from typing import Any

from syncfabric.models.messages import (
    CONTROL,
    MANAGER_BASE,
    MANAGER_STATUS,
    Answer,
    ManagerState,
    ManagerWord,
    Op,
    Request,
    SwitchWord,
    register_address,
    spill_address,
)
from tests.models.golden.crowd import Crowd, Script, goes_on
from tests.models.golden.life_story import Life, Member
from tests.models.golden.set_up_bench import IrregularBench, SetUpBench, tree_word

__all__ = ["ENDS", "Lives"]

ENDS = ("last", "clear", "kill")


class Lives:
    """Lives of groups, drawn at random, and the software of all nodes.

    Parameters
    ----------
    made : SetUpBench
        A network with ``spill``.
    draw : callable
        Draws a group's tree.
    rng : random.Random
    gids : int
        How many groups live at once.
    ends : sequence of str
        How lives may end.
    disturb : callable
        Is called once a cycle.

    Attributes
    ----------
    ends : Counter of str
        How lives have ended.
    spilled : int
        Members that were spilled.
    """

    def __init__(
        self,
        made: SetUpBench[Any],
        draw: Callable[[], Any],
        rng: random.Random,
        gids: int,
        *,
        ends: tuple[str, ...] = ENDS,
        disturb: Callable[[], None] = lambda: None,
    ) -> None:
        self.made, self.draw, self.rng = made, draw, rng
        self.model, self.crowd = made.model, Crowd(made)
        self.gids, self.allowed, self.disturb = gids, ends, disturb
        self.ends: Tally[str] = Tally()
        self.spilled = 0
        self.irregular = isinstance(made, IrregularBench)
        self._epochs = dict.fromkeys(range(gids), 0)
        self._free = {
            node: set(range(made.network.barrier_registers))
            for node in range(len(made.network.topology.nodes))
        }
        self._commanding = [False] * len(made.managers)
        self._freed: Tally[int] = Tally()

    def run(self, lives: int) -> None:
        """Let every group live so many lives, one after the other, and see that all end."""
        collectors = [self._collect(manager) for manager in range(len(self.made.managers))]

        def each() -> None:
            self.disturb()
            for collector in collectors:
                next(collector)

        scripts = [self._lives_of(gid, lives) for gid in range(self.gids)]
        self.crowd.run(scripts, lives * self.gids * 6000, each)
        self.made.settle()
        assert self.model.is_empty()
        assert not any(self._freed.values())
        assert sum(self.ends.values()) == lives * self.gids

    # Managers.

    def _collect(self, manager: int) -> Script:
        """Read the groups that a manager has been told are free."""
        node = self.made.managers[manager]
        while True:
            if self.model.freed(node):
                word = yield from self.crowd.ask(node, MANAGER_BASE + ManagerWord.FREED)
                assert word is not None
                self._freed[word & 255] += 1
            yield

    def _command(
        self, life: Life, operation: Request, manager: int
    ) -> Generator[None, None, tuple[ManagerState, Answer]]:
        """Give a manager a command and wait for its end, when its turn has come."""
        while self._commanding[manager]:
            yield
        self._commanding[manager] = True
        if operation is Request.KILL:
            life.killed = True
        node = self.made.managers[manager]
        fields = {"gid": life.gid, "epoch": life.epoch, "op": Op[life.op.upper()]}
        entries = self.made.entries(life.group, fields)
        words = [(ManagerWord.POINTER, 0)]
        words += [(ManagerWord.DATA, word) for entry in entries for word in entry]
        words.append((ManagerWord.COMMAND, operation | len(entries) << 2))
        for word, data in words:
            answer = yield from self.crowd.ask(node, MANAGER_BASE + word, data)
            assert answer == 0
        while self.model.manager_state(node) is ManagerState.RUNNING:
            yield
        status = yield from self.crowd.ask(node, MANAGER_BASE + ManagerWord.STATUS)
        assert status is not None
        self._commanding[manager] = False
        found = MANAGER_STATUS.unpack(status)
        return ManagerState(found["state"]), Answer(found["code"])

    # Lives.

    def _lives_of(self, gid: int, lives: int) -> Script:
        for _ in range(lives):
            group = self.draw()
            self.made.groups[gid] = group
            members = {node: Member(node) for node in self.made.members(gid)}
            operations = ["or", "and", "xor"]
            if self.made.network.operations == "all":
                operations += ["max", "min"]
            op = self.rng.choice(operations)
            life = self.crowd.living[gid] = Life(gid, group, op, members, self._epochs[gid] % 4)
            self._epochs[gid] += 1
            yield from self._live(life)
            yield from self._wait(self.rng.randrange(30))

    def _live(self, life: Life) -> Script:
        manager = self.rng.randrange(len(self.made.managers))
        if self.irregular:
            yield from self._enrol(life)
        while True:
            state, code = yield from self._command(life, Request.SETUP, manager)
            if state is ManagerState.DONE:
                break
            # What was killed before may still be telling its children so.
            assert (state, code) == (ManagerState.FAILED, Answer.EXISTS)
            assert self.ends["kill"]
            yield from self._wait(20)
        if not self.irregular:
            self._find(life)
        self.spilled += sum(member.register is None for member in life.members.values())
        end = self.rng.choice(self.allowed)
        if end == "kill" and self.rng.random() < 0.3:
            yield from self._wait(self.rng.randrange(40))
        else:
            for _ in range(self.rng.randrange(3)):
                yield from self._barrier(life)
        if end == "kill":
            yield from self._kill(life, manager)
        else:
            if end == "last":
                yield from self._free_it(life)
            state, code = yield from self._command(life, Request.CLEAR, manager)
            assert (state, code) == (ManagerState.DONE, Answer.OK)
        yield from self._leave(life)
        self.ends[end] += 1

    def _wait(self, cycles: int) -> Script:
        for _ in range(cycles):
            yield

    def _enrol(self, life: Life) -> Script:
        """Write the members' own registers, or entries where there is no register to be had."""
        for node, member in life.members.items():
            free = self._free[node]
            if free and self.rng.random() < 0.6:
                member.register = self.rng.choice(sorted(free))
                free.remove(member.register)
            parent, children, root = life.group.images[node]
            control = {"valid": 1, "root": root, "gid": life.gid, "epoch": life.epoch}
            control["op"] = Op[life.op.upper()]
            for word, data in (
                (SwitchWord.CONTROL, 0),
                (SwitchWord.TREE, tree_word(parent, children)),
                (SwitchWord.CONTROL, CONTROL.pack(control)),
            ):
                answer = yield from self.crowd.ask(node, self._address(life, member, word), data)
                assert answer == 0

    def _address(self, life: Life, member: Member, word: SwitchWord) -> int:
        if member.register is None:
            return spill_address(life.gid, word)
        return register_address(member.register, word)

    def _find(self, life: Life) -> None:
        """Look where set-up has put a mesh's members."""
        for node, member in life.members.items():
            member.register = self.model.holder(node, life.gid)

    def _is_open(self, member: Member) -> bool:
        if member.register is None:
            return member.told_go > 0
        return self.model.ready(member.node, member.register)

    def _enter(self, life: Life, member: Member, last: bool) -> bool:
        """Let a member arrive if it may; return whether it did."""
        if not self._is_open(member) or member.broken or member.inside:
            return False
        data = self.rng.getrandbits(self.made.network.data_bits)
        self.crowd.arrive(life.gid, member, data, last)
        return True

    def _barrier(self, life: Life, last: bool = False, but: Member | None = None) -> Script:
        """Let members arrive at random, all but one if ``but`` is given, and be released."""
        ahead = [member for member in life.members.values() if member is not but]
        self.rng.shuffle(ahead)
        hurry = self.rng.random() < 0.5
        while ahead:
            now = hurry or self.rng.random() < 0.2
            if now and self._enter(life, ahead[-1], last):
                ahead.pop()
            yield
        while but is None and any(member.inside for member in life.members.values()):
            yield

    def _free_it(self, life: Life) -> Script:
        """Have a last barrier, and wait until the manager has been told, if anyone tells it."""
        yield from self._barrier(life, last=True)
        if self.made.network.kind == "irregular" and self.made.network.turnaround == "node":
            return
        while not self._freed[life.gid]:
            yield
        self._freed[life.gid] -= 1

    def _kill(self, life: Life, manager: int) -> Script:
        """Kill a group at any moment; whoever could arrive hears of it."""
        but = self.rng.choice(sorted(life.members))
        arriving = self._barrier(life, but=life.members[but])
        for _ in range(self.rng.randrange(60)):
            if not goes_on(arriving):
                break
            yield
        state, code = yield from self._command(life, Request.KILL, manager)
        assert (state, code) == (ManagerState.DONE, Answer.OK)
        while not all(self._is_over(member) for member in life.members.values()):
            yield

    def _is_over(self, member: Member) -> bool:
        if member.register is None:
            return member.broken > 0
        closed = not self.model.ready(member.node, member.register)
        return closed and (not member.inside or member.broken > 0)

    def _leave(self, life: Life) -> Script:
        """Give up the members' own registers, and let what nobody awaits be heard before."""
        yield from self._wait(8)
        for node, member in life.members.items():
            if self.irregular:
                while True:
                    where = self._address(life, member, SwitchWord.CONTROL)
                    if (yield from self.crowd.ask(node, where, 0)) == 0:
                        break
                if member.register is not None:
                    self._free[node].add(member.register)
        del self.crowd.living[life.gid]
