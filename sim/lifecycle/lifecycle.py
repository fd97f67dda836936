"""The software of groups: it sets them up and ends them.

Commands go to the network's managers (N5), or without any over the host's config chain; on a
static network groups are routes and roles.

Source: docs/setup.md; docs/microarchitecture-static.md, R3 and R5.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, Self

from syncfabric.models.layout.engine import COMMIT, EPOCH_BITS, Code, interval_of
from syncfabric.models.layout.network import NetworkShape
from syncfabric.models.layout.setup import (
    COMMAND,
    FREED,
    MANAGER_STATUS,
    Answer,
    ManagerState,
    Operation,
)
from syncfabric.models.layout.words import EngineWord, ManagerWord, config_address
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.entries import owner_of
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.set_up import (
    Epochs,
    Write,
    commit_write,
    free_writes,
    kill_command,
    kill_writes,
    set_up_command,
    set_up_writes,
)
from syncfabric.models.planning.static_routes import (
    SETTLING,
    group_outputs,
    role_writes,
    route_writes,
)
from syncfabric.sim.lifecycle.effects import (
    HANG,
    LOOK,
    Ask,
    FoundError,
    Pause,
    Request,
    Steps,
    ask_all,
    await_reads,
)

EPOCHS = 1 << EPOCH_BITS
TRIES = 100
"""Commands that may be refused, or not be answered, one after another."""
GO_HOP = 8
"""Cycles from an engine's status to ``ready`` at its node, at most."""


class Lifecycle(ABC):
    """Programs that set groups up and end them; it keeps the epochs of all entries.

    The entries of a group are free when its SETUP is made. Programs of one object are performed one
    after another. They raise `FoundError` when a command is refused or not answered for too long,
    or what they await does not happen.

    Parameters
    ----------
    timeout : int, optional
        Cycles in which whatever is waited for must happen.
    tries : int, optional
        How often a command is given that is refused for the time being, or not answered.

    Attributes
    ----------
    epochs : Epochs
        Of all entries, as this software knows them.
    refused : int
        Commands that were refused, and given again.
    """

    def __init__(self, shape: NetworkShape, *, timeout: int = HANG, tries: int = TRIES) -> None:
        self._shape, self._timeout, self._tries = shape, timeout, tries
        self.epochs = Epochs()
        self.refused = 0
        self._aborted: set[tuple[int, int]] = set()  # roots whose SETUP was, and given no more

    def again(self) -> Self:
        """Return a copy with the same state, which changes apart from this one."""
        return copy.deepcopy(self, {id(self._shape): self._shape})

    @abstractmethod
    def _command_set_up(self, group: GroupPlan) -> Steps[Answer]:
        """Give SETUP of a group once, and start it; return OK or the first refusal."""

    @abstractmethod
    def _command_kill(self, groups: Sequence[GroupPlan]) -> Steps[Answer]:
        """Give KILL at all routers of groups once; return OK or a refusal."""

    @abstractmethod
    def _free(self, router: int, entry: int) -> Steps[None]:
        """End whatever has an entry, and learn its epoch."""

    @abstractmethod
    def tear_down(self, group: GroupPlan) -> Steps[None]:
        """Await the end of a group whose members arrive with ``last``."""

    def set_up(self, group: GroupPlan) -> Steps[None]:
        """Set a group up, and start it."""
        for _ in range(self._tries):
            answer = yield from self._command_set_up(group)
            # The command that was aborted started the group, and it is over by now.
            over = answer is Answer.ENDED and self._root(group) in self._aborted
            if answer is Answer.OK or over:
                self.epochs.set_up(group)
                self._aborted.discard(self._root(group))
                return
            if answer in (Answer.DENIED, Answer.BAD):
                break
            self.refused += 1
            if answer is Answer.ABORTED:
                self._aborted.add(self._root(group))
            elif answer is not Answer.BUSY:
                yield from self.recover(group)
            yield Pause(LOOK)
        raise FoundError(f"not set up: {answer.name}")

    def await_ready(self, group: GroupPlan) -> Steps[None]:
        """Await GO at all members of a group of which no member arrives before.

        Without ``read_back``, and on barrier wires, nothing says so, and all the cycles go by that
        it may take.
        """
        tree, status = group.tree, self._shape.router.layout.status
        if not self._shape.router.read_back or group.slot_register is not None:
            yield Pause((tree.height + 1) * self._passing)
            return
        routers = list(dict.fromkeys(tree.nodes[:, 0].tolist()))
        reads = [self._commit(Code.READ, router, group.placement[router]) for router in routers]
        children = [int(tree.child_mask[tree.position[router]]) for router in routers]

        def have_gone(words: Sequence[int]) -> bool:
            awaited = (status.unpack(word)["missing"] for word in words)
            return all(map(int.__and__, awaited, children))

        what = "set up, and GO does not come"
        yield from await_reads(reads, have_gone, what, self._timeout)
        yield Pause(GO_HOP)

    def kill(self, *groups: GroupPlan) -> Steps[None]:
        """End groups at all their routers, whatever they do; their members are released broken."""
        for _ in range(self._tries):
            answer = yield from self._command_kill(groups)
            if answer is Answer.OK:
                yield Pause(self._passing)
                return
            self.refused += 1
            yield Pause(LOOK)
        raise FoundError(f"not killed: {answer.name}")

    def abort(self, group: GroupPlan) -> Steps[None]:
        """End a set-up that was left while its command ran, so that it can be made again.

        Over the chain no command is left running: each commit is answered.
        """
        self._aborted.add(self._root(group))
        yield from ()

    def recover(self, group: GroupPlan) -> Steps[None]:
        """End whatever has a group's entries, and learn their epochs, of which nothing is known.

        So ends a group whose set-up failed, or was left and is not made again.
        """
        for place in group.placement.items():
            yield from self._free(*place)
        self._aborted.discard(self._root(group))
        yield Pause(self._passing)

    @staticmethod
    def _root(group: GroupPlan) -> tuple[int, int]:
        """Return a root's router and entry."""
        return group.tree.root, group.placement[group.tree.root]

    @property
    def _passing(self) -> int:
        """Cycles in which a router serves whatever has come to it (docs/setup.md)."""
        router = self._shape.router
        sources = router.links + 2
        interval = interval_of(router.stages, shared=router.shared)
        return (router.layout.entries + 1) * sources * interval

    def _commit(self, code: Code, router: int, entry: int) -> Write:
        """Return the write that commits a command by the epoch that is known."""
        return commit_write(code, self._shape, router, entry, self.epochs[router, entry])


class ByChain(Lifecycle):
    """Commits every command itself, at any entry of any router."""

    def _command_set_up(self, group: GroupPlan) -> Steps[Answer]:
        words: list[Request] = []
        for write in set_up_writes([group], self._shape, copy.deepcopy(self.epochs)):
            words.append(write)
            if write.address == EngineWord.COMMIT:
                error, status = (yield Ask(words))[-1]
                if error and (answer := self._refusal(write, status)) is not Answer.OK:
                    return answer
                words = []
        return Answer.OK

    def _refusal(self, write: Write, status: int) -> Answer:
        """Return what a manager would be answered (N4.4)."""
        commit = COMMIT.unpack(write.word)
        alive, epoch = self._status(status)
        if commit["code"] == Code.GO:
            return Answer.BAD
        if alive:
            return Answer.OK if epoch == (commit["epoch"] + 1) % EPOCHS else Answer.BUSY
        # By the right epoch, a sink has staged another image (N4.8).
        return Answer.BUSY if epoch == commit["epoch"] else Answer.EPOCH

    def _command_kill(self, groups: Sequence[GroupPlan]) -> Steps[Answer]:
        answers = yield Ask(list(kill_writes(groups, self._shape, self.epochs)))
        left = any(error and self._status(status)[0] for error, status in answers)
        return Answer.DENIED if left else Answer.OK

    def _free(self, router: int, entry: int) -> Steps[None]:
        for _ in range(self._tries):
            ((_, status),) = yield Ask([self._commit(Code.READ, router, entry)])
            alive, self.epochs[router, entry] = self._status(status)
            if not alive:
                return
            yield Ask([self._commit(Code.KILL, router, entry)])
        raise FoundError(f"killed, and entry {entry} of router {router} is alive")

    def free(self, router: int, entry: int) -> Steps[None]:
        """Free an entry, and its nodes' registers, whatever a fault has left there."""
        yield Ask(list(free_writes(self._shape, router, entry)))
        self.epochs[router, entry] = 0

    def tear_down(self, group: GroupPlan) -> Steps[None]:
        """Read the status at all routers until no entry is alive."""
        reads = [self._commit(Code.READ, *place) for place in group.placement.items()]

        def are_over(words: Sequence[int]) -> bool:
            return not any(self._status(word)[0] for word in words)

        what = "its last barrier is over, and entries are alive"
        yield from await_reads(reads, are_over, what, self._timeout)

    def _status(self, word: int) -> tuple[bool, int]:
        """Return whether an entry is alive, and its epoch."""
        status = self._shape.router.layout.status.unpack(word)
        return bool(status["alive"]), status["epoch"]


class _End(NamedTuple):
    """What a manager's FREED reports: an instance of a root's entry."""

    router: int
    entry: int
    epoch: int


class ByManagers(Lifecycle):
    """Commands the manager in whose share a group's entries are."""

    def __init__(self, shape: NetworkShape, *, timeout: int = HANG, tries: int = TRIES) -> None:
        super().__init__(shape, timeout=timeout, tries=tries)
        self._ended: set[_End] = set()  # reported, and not yet made use of

    def _command_set_up(self, group: GroupPlan) -> Steps[Answer]:
        return (yield from self._offer(group, self._node(group.placement.values())))

    def offer(self, group: GroupPlan, manager: int) -> Steps[Answer]:
        """Have any manager give a group's SETUP once; return what it is answered."""
        return (yield from self._offer(group, self._shape.managers[manager]))

    def _offer(self, group: GroupPlan, node: int) -> Steps[Answer]:
        writes = set_up_command(group, self._shape, self.epochs)
        return (yield from self._command(node, writes))[0]

    def _command_kill(self, groups: Sequence[GroupPlan]) -> Steps[Answer]:
        refusal = Answer.OK
        for group in groups:  # a router has one reply for a manager, so one request of a command
            writes = kill_command(group.placement.items(), self._shape, self.epochs)
            code, _ = yield from self._command(self._node(group.placement.values()), writes)
            refusal = code if refusal is Answer.OK else refusal
            yield from self._forget(*self._root(group))
        return refusal

    def _free(self, router: int, entry: int) -> Steps[None]:
        for _ in range(self._tries):
            writes = kill_command([(router, entry)], self._shape, self.epochs)
            code, epoch = yield from self._command(self._node([entry]), writes)
            if code in (Answer.OK, Answer.DENIED):
                self.epochs[router, entry] = epoch
            if code is Answer.OK:
                yield from self._forget(router, entry)
                return
        raise FoundError(f"entry {entry} of router {router} is not killed: {code.name}")

    def tear_down(self, group: GroupPlan) -> Steps[None]:
        """Read what is FREED until the manager receives that of the root's entry."""
        node, place = self._node(group.placement.values()), self._root(group)
        end = _End(*place, self.epochs[place])
        for _ in range(self._timeout // LOOK):
            yield from self._read_ends(node)
            if end in self._ended:
                self._ended.remove(end)
                return
            yield Pause(LOOK)
        raise FoundError(
            f"its last barrier is over, and the manager received no FREED for {self._timeout} "
            "cycles"
        )

    def abort(self, group: GroupPlan) -> Steps[None]:
        """Have its manager abort the command that it runs; without one it refuses (N5.9)."""
        yield from super().abort(group)
        yield from self._abort_at(self._node(group.placement.values()))

    def _node(self, entries: Collection[int]) -> int:
        """Return the node of the manager that owns entries."""
        return self._shape.managers[owner_of(entries, self._shape.router)]

    def _command(self, node: int, writes: Iterable[tuple[int, int]]) -> Steps[tuple[Answer, int]]:
        """Give a manager a command and await its end; return the code and the epoch of STATUS."""
        yield from ask_all([(node, *write) for write in writes], "commanded")
        status = [(node, config_address(ManagerWord.STATUS), None)]
        for aborted in (False, True):
            for _ in range(self._timeout // LOOK):
                (word,) = yield from ask_all(status, "commanded")
                fields = MANAGER_STATUS.unpack(word)
                if fields["state"] != ManagerState.RUNNING:
                    return Answer(fields["code"]), fields["epoch"]
                yield Pause(LOOK)
            if not aborted:
                yield from self._abort_at(node)
        raise FoundError(f"the manager of node {node} runs a command {self._timeout} cycles on")

    def _abort_at(self, node: int) -> Steps[None]:
        word = COMMAND.pack({"operation": Operation.ABORT})
        yield Ask([(node, config_address(ManagerWord.COMMAND), word)])
        yield Pause(LOOK)

    def _read_ends(self, node: int) -> Steps[None]:
        """Read all that a manager holds of ended groups."""
        freed = [(node, config_address(ManagerWord.FREED), None)]
        while True:
            (word,) = yield from ask_all(freed, "read")
            fields = FREED.unpack(word)
            if not fields["valid"]:
                return
            self._ended.add(_End(fields["router"], fields["entry"], fields["epoch"]))

    def _forget(self, router: int, entry: int) -> Steps[None]:
        """Forget the ends of an entry's groups: of one that is killed it may have come before."""
        yield from self._read_ends(self._node([entry]))
        self._ended = {end for end in self._ended if (end.router, end.entry) != (router, entry)}


def lifecycle_of(shape: NetworkShape, *, timeout: int = HANG, tries: int = TRIES) -> Lifecycle:
    """Return the software of a network: by its managers, or without any over the config chain."""
    return (ByManagers if shape.managers else ByChain)(shape, timeout=timeout, tries=tries)


class ByRoutes:
    """Programs that set groups up and end them, by routes and roles.

    They raise `FoundError` when a write is refused.

    Attributes
    ----------
    settled : int
        Cycles in which what a root sends at first has come to all members.
    refused : int
        Commands that were refused, and given again: none.
    """

    refused = 0

    def __init__(self, network: StaticSpec) -> None:
        self._network = network
        self._present: dict[int, GroupPlan] = {}
        self.settled = 8 * len(network.topology.nodes)

    def again(self) -> ByRoutes:
        """Return a copy with the same state, which changes apart from this one."""
        twin = copy.copy(self)
        twin._present = dict(self._present)
        return twin

    def set_up(self, *groups: GroupPlan, beside: Sequence[GroupPlan] = ()) -> Steps[None]:
        """Load groups' routes beside the others', assign members their roles, and start roots.

        Those ``beside`` have routes alone: their members' core ports are left to software.
        """
        yield from self.load((), (*groups, *beside))
        yield from self.assign((), groups)

    def kill(self, *groups: GroupPlan, silent: Collection[int] = ()) -> Steps[None]:
        """Remove groups' routes in any state; their agents return to the reset state.

        Agents of ``silent`` nodes keep their state: no flush reaches them.
        """
        yield from self.load(groups, ())
        yield from self.assign(groups, (), silent)

    def load(self, ended: Sequence[GroupPlan], begun: Sequence[GroupPlan]) -> Steps[None]:
        """Load the routes of all groups; those that end, begin, or change are flushed."""
        for group in ended:
            del self._present[group.id]
        self._present |= {group.id: group for group in begun}
        routes = {
            output: port
            for group in self._present.values()
            for output, port in group.routes().items()
        }
        flush = {output for group in (*ended, *begun) for output in group_outputs(group)}
        yield from ask_all(list(route_writes(self._network, routes, flush)), "routes")
        yield Pause(SETTLING)

    def assign(
        self,
        ended: Sequence[GroupPlan],
        begun: Sequence[GroupPlan],
        silent: Collection[int] = (),
    ) -> Steps[None]:
        """Assign nodes their roles once routes are loaded; ``silent`` nodes keep theirs."""
        yield from ask_all(list(role_writes(self._network, ended, begun, silent)), "roles")
