"""Groups that managers set up and tear down by packets, in the midst of all others."""

from __future__ import annotations

from collections.abc import Sequence

from syncfabric.models.messages import (
    ARRIVED,
    CONTROL,
    LIFE,
    MANAGER_BASE,
    MANAGER_COMMAND,
    MANAGER_FREED,
    MANAGER_STATUS,
    STATUS,
    ManagerState,
    ManagerWord,
    RegisterWord,
    Request,
    SwitchWord,
    register_address,
)
from syncfabric.models.networks.spec import IrregularSpec, MeshSpec, RegisterSpec
from syncfabric.models.planning.plan import EngineGroupPlan, StaticGroupPlan, WireGroupPlan
from syncfabric.models.planning.requests import manager_entries
from syncfabric.sim.fabric import Fabric
from syncfabric.sim.lifecycle.effects import (
    HANG,
    LOOK,
    Ask,
    FoundError,
    Pause,
    Steps,
    ask_all,
    await_reads,
)
from syncfabric.sim.soak.by_port import Registers
from syncfabric.sim.soak.life import Life, await_broken, images_of

__all__ = ["ByManager"]


class ByManager:
    """Sets groups up by the network's managers.

    Parameters
    ----------
    fabric : Fabric
    network : MeshSpec or IrregularSpec
    patience : int
        Cycles in which something must happen, whatever it is that is waited for.
    tries : int
        Set-ups that may be refused: where a group was killed, BROKEN may still be under way.

    Attributes
    ----------
    refused : int
        Set-ups that were refused, and tried again.
    """

    def __init__(
        self, fabric: Fabric, network: RegisterSpec, patience: int = HANG, tries: int = 100
    ) -> None:
        self._fabric, self._network = fabric, network
        self._patience, self._tries = patience, tries
        self._registers = Registers(network)
        self._managers = [network.topology.index(node) for node in network.manager_nodes]
        self._freed: set[tuple[int, int]] = set()  # manager and GID, told and not yet made use of
        self.refused = 0

    def may_kill(self, life: Life) -> bool:
        """Whether a barrier can be broken off."""
        return True

    def again(self) -> ByManager:
        """Return one that knows what this one does, and may learn more."""
        twin = ByManager(self._fabric, self._network, self._patience, self._tries)
        twin._registers, twin._freed = self._registers.again(), set(self._freed)
        return twin

    def leave(self, life: Life) -> None:
        """Let others have the registers that software has chosen for a life."""
        self._registers.leave(life)

    def set_up(self, life: Life) -> Steps[None]:
        """Have members write their own registers, and a manager all others; await GO."""
        yield from self.set_up_at_members(life)
        self._freed.discard((life.manager, life.gid))
        for _ in range(self._tries):
            if (yield from self.command(life, Request.SETUP)) is ManagerState.DONE:
                break
            self.refused += 1
            yield Pause(LOOK)
        else:
            raise FoundError(f"refused {self._tries} times to be set up")
        yield from self.await_set_up(life)

    def set_up_at_members(self, life: Life) -> Steps[None]:
        """Have members of an irregular network write their own registers."""
        if isinstance(self._network, IrregularSpec):
            own = list(self._registers.writes(life, own=True))
            yield from ask_all(own, "set up at its members")

    def await_set_up(self, life: Life) -> Steps[None]:
        """See where members have their registers, and await GO there."""
        if isinstance(life.group, WireGroupPlan):
            life.places = life.places or dict.fromkeys(life.nodes, life.group.number)
            return
        if isinstance(self._network, MeshSpec):
            yield from self._find(life)
        yield from self._await_go(life)

    def tear_down(self, life: Life) -> Steps[None]:
        """Clear a group after its last barrier, or kill it in the midst of one."""
        if life.killed:
            yield from self._end(life, Request.KILL)
            yield from await_broken(self._fabric, life)
            if not isinstance(life.group, WireGroupPlan):
                # Who was outside is told by nobody, and sees that its register is gone.
                yield from self._await_gone(life)
        elif isinstance(life.group, WireGroupPlan):
            yield from self._end(life, Request.CLEAR)
        else:
            if getattr(self._network, "turnaround", "switch") == "switch":
                yield from self._await_freed(life)
            yield from self._end(life, Request.CLEAR)
        if isinstance(self._network, IrregularSpec) and (
            not life.killed or isinstance(life.group, WireGroupPlan)
        ):
            wipes = [(n, register_address(r, SwitchWord.CONTROL), 0) for n, r in life.seats]
            yield from ask_all(wipes, "left by its members")
            if life.killed:
                yield from await_broken(self._fabric, life)
        yield Pause(self._network.link_registers + 2)
        self._registers.leave(life)

    def _end(self, life: Life, operation: Request) -> Steps[None]:
        if (state := (yield from self.command(life, operation))) is not ManagerState.DONE:
            raise FoundError(f"{operation.name} ends as {state.name}")

    def command(self, life: Life, operation: Request) -> Steps[ManagerState]:
        """Give a life's manager a command, and wait until it is done; return how it ended."""
        group, manager = life.group, self._managers[life.manager]
        assert not isinstance(group, StaticGroupPlan | EngineGroupPlan)
        return (
            yield from self.give(manager, operation, manager_entries(life.plan, group, life.epoch))
        )

    def give(
        self, manager: int, operation: Request, entries: Sequence[Sequence[int]]
    ) -> Steps[ManagerState]:
        """Give the manager of a node a command, and wait until it is done; return how it ended."""
        command = MANAGER_COMMAND.pack({"operation": operation, "count": len(entries)})
        words = [(ManagerWord.DATA, word) for entry in entries for word in entry]
        words = [(ManagerWord.POINTER, 0), *words, (ManagerWord.COMMAND, command)]
        requests = [(manager, MANAGER_BASE + word, value) for word, value in words]
        yield from ask_all(requests, operation.name)
        status = [(manager, MANAGER_BASE + ManagerWord.STATUS, None)]

        def is_over(data: Sequence[int]) -> bool:
            return MANAGER_STATUS.unpack(data[0])["state"] != ManagerState.RUNNING

        (data,) = yield from await_reads(
            status, is_over, f"{operation.name} goes on", self._patience
        )
        return ManagerState(MANAGER_STATUS.unpack(data)["state"])

    def abort(self, life: Life) -> Steps[None]:
        """End the command of a life's manager, if it goes on."""
        word = MANAGER_COMMAND.pack({"operation": Request.ABORT, "count": 0})
        manager = self._managers[life.manager]
        yield Ask([(manager, MANAGER_BASE + ManagerWord.COMMAND, word)])  # refused if it is over
        yield Pause(LOOK)

    def _find(self, life: Life) -> Steps[None]:
        """See which register a mesh's nodes have taken for the group."""
        registers = range(self._network.barrier_registers)
        for node in life.nodes:
            reads = [(node, register_address(r, RegisterWord.CONTROL), None) for r in registers]
            for register, data in enumerate((yield from ask_all(reads, "looked for"))):
                control = CONTROL.unpack(data & (1 << CONTROL.width) - 1)
                if control["valid"] and control["gid"] == life.gid:
                    life.places[node] = register
            if node not in life.places:
                raise FoundError(f"set up, and node {node} has no register of it")

    def _await_go(self, life: Life) -> Steps[None]:
        irregular = isinstance(self._network, IrregularSpec)
        word = SwitchWord.ARRIVED if irregular else RegisterWord.STATUS
        below = (ARRIVED if irregular else STATUS).width
        reads = [(node, register_address(place, word), None) for node, place in life.seats]

        def have_gone(data: Sequence[int]) -> bool:
            return all(LIFE.unpack(each >> below)["go"] for each in data)

        yield from await_reads(reads, have_gone, "set up, and GO does not come", self._patience)

    def _await_freed(self, life: Life) -> Steps[None]:
        freed = [(self._managers[life.manager], MANAGER_BASE + ManagerWord.FREED, None)]

        def is_it(data: Sequence[int]) -> bool:
            word = MANAGER_FREED.unpack(data[0])
            if word["there"]:  # it may be another group's, whose turn comes later
                self._freed.add((life.manager, word["gid"]))
            return (life.manager, life.gid) in self._freed

        yield from await_reads(freed, is_it, "over, and the manager is not told FREED")
        self._freed.discard((life.manager, life.gid))

    def _await_gone(self, life: Life) -> Steps[None]:
        reads = [
            (target, register_address(r, RegisterWord.CONTROL), None)
            for target, _, _ in images_of(self._network, life.group)
            for r in range(self._network.barrier_registers)
        ]

        def are_gone(data: Sequence[int]) -> bool:
            controls = (CONTROL.unpack(each & (1 << CONTROL.width) - 1) for each in data)
            return not any(c["valid"] and c["gid"] == life.gid for c in controls)

        yield from await_reads(reads, are_gone, "killed, and a register still knows it")
