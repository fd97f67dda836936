"""Irregular networks whose groups a manager sets up, clears and kills."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from syncfabric.models.golden.irregular import ConfigRequest
from syncfabric.models.golden.irregular_set_up import ManagedIrregularModel
from syncfabric.models.golden.record import Observer
from syncfabric.models.messages import (
    COMMAND_WORD,
    CONTROL,
    COUNTER_BASE,
    MANAGER_BASE,
    MANAGER_COMMAND,
    MANAGER_STATUS,
    REQUEST,
    TREE,
    Answer,
    Command,
    Counter,
    ManagerState,
    ManagerWord,
    Op,
    Request,
    SwitchWord,
    register_address,
)
from syncfabric.models.networks.spec import IrregularSpec
from tests.models.golden.irregular_bench import Group

__all__ = ["SetUpBench"]


@dataclass
class SetUpBench:
    """A model and the software of its nodes; ``places`` is the register of (group, node)."""

    network: IrregularSpec
    observer: Observer | None = None
    groups: dict[int, Group] = field(default_factory=dict)
    places: dict[tuple[int, int], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.model = ManagedIrregularModel(self.network, observer=self.observer)
        self.managers = [self.network.topology.index(node) for node in self.network.manager_nodes]
        self.released: list[tuple[int, int, int, bool]] = []

    # The config port and time.

    def step(self, **inputs: object) -> None:
        """Step, and keep what is released: node, register, result, broken."""
        self.model.step(**inputs)  # type: ignore[arg-type]
        for node, register, result in self.model.release:
            self.released.append((node, register, result, self.model.broken(node, register)))

    def settle(self, most: int = 3000) -> None:
        """Step until nothing moves."""
        for _ in range(most):
            if self.model.idle_until() is None:
                return
            self.step()
        raise AssertionError("it never comes to rest")

    def request(self, target: int, address: int, data: int | None = None) -> int | None:
        """Write ``data``, or read; return the answer, None for an error."""
        self.step(config=ConfigRequest(target, address, data is not None, data or 0))
        self.step()
        ready, error, answer = self.model.config_answer
        assert ready
        return None if error else answer

    def word(self, target: int, register: int, word: int) -> int | None:
        """Read a word of a register."""
        return self.request(target, register_address(register, SwitchWord(word)))

    def counter(self, target: int, counter: Counter) -> int | None:
        """Read a counter."""
        return self.request(target, COUNTER_BASE + counter)

    # What managers do.

    def load(self, group: Group, gid: int, epoch: int = 0, op: str = "or", manager: int = 0) -> int:
        """Write a manager's memory with a group's switches, the root's last; return how many."""
        count = len(self.network.nodes)
        switches = [target for target in group.images if target >= count]
        fires = [t for t in switches if group.images[t][2]] or [count + self.root_switch(group)]
        ordered = [target for target in switches if target not in fires] + fires
        self.manage(manager, ManagerWord.POINTER, 0)
        for target in ordered:
            parent, children, root = group.images[target]
            request = {"gid": gid, "epoch": epoch, "op": Op[op.upper()], "root": root}
            self.manage(manager, ManagerWord.DATA, self.header(target - count))
            self.manage(manager, ManagerWord.DATA, REQUEST.pack(request))
            self.manage(manager, ManagerWord.DATA, tree_word(parent, children))
        return len(ordered)

    def root_switch(self, group: Group) -> int:
        """Return the switch of the node that turns around."""
        node = next(target for target, (_, _, root) in group.images.items() if root)
        return self.network.nodes[node][0]

    def header(self, switch: int) -> int:
        """Return the header to a switch's sink."""
        fields = {"switch": switch, "port": self.network.ports}
        return self.network.layout.header.pack(fields)

    def manage(self, manager: int, word: ManagerWord, data: int) -> int | None:
        """Write a word of a manager."""
        return self.request(self.managers[manager], MANAGER_BASE + word, data)

    def order(self, operation: Request, count: int, manager: int = 0) -> None:
        """Start a command."""
        word = MANAGER_COMMAND.pack({"operation": operation, "count": count})
        assert self.manage(manager, ManagerWord.COMMAND, word) == 0

    def outcome(self, manager: int = 0) -> tuple[ManagerState, Answer, int]:
        """Step until a manager is done; return its status."""
        node = self.managers[manager]
        for _ in range(2000):
            if self.model.manager_state(node) is not ManagerState.RUNNING:
                break
            self.step()
        word = self.request(node, MANAGER_BASE + ManagerWord.STATUS)
        assert word is not None
        status = MANAGER_STATUS.unpack(word)
        return ManagerState(status["state"]), Answer(status["code"]), status["entry"]

    def run(
        self, operation: Request, count: int, manager: int = 0
    ) -> tuple[ManagerState, Answer, int]:
        """Run a command to its end."""
        self.order(operation, count, manager)
        return self.outcome(manager)

    # What members do.

    def enrol(self, group: Group, gid: int, epoch: int = 0, op: str = "or", slot: int = 0) -> None:
        """Write the members' own registers."""
        self.groups[gid] = group
        for target, (parent, children, root) in group.images.items():
            if target < len(self.network.nodes):
                self.places[gid, target] = slot
                control = {"valid": 1, "root": root, "gid": gid, "epoch": epoch}
                control["op"] = Op[op.upper()]
                where = register_address(slot, SwitchWord.CONTROL)
                assert self.request(target, where, 0) == 0
                tree = register_address(slot, SwitchWord.TREE)
                assert self.request(target, tree, tree_word(parent, children)) == 0
                assert self.request(target, where, CONTROL.pack(control)) == 0

    def set_up(self, group: Group, gid: int, epoch: int = 0, slot: int = 0) -> int:
        """Set a group up from beginning to end; return its number of entries."""
        self.enrol(group, gid, epoch, slot=slot)
        count = self.load(group, gid, epoch)
        assert self.run(Request.SETUP, count) == (ManagerState.DONE, Answer.OK, 0)
        self.settle()
        assert all(self.model.ready(node, slot) for node in self.members(gid))
        return count

    def members(self, gid: int) -> list[int]:
        """Return the nodes of a group."""
        return [target for target in self.groups[gid].images if target < len(self.network.nodes)]

    def arrive(self, gid: int, nodes: Iterable[int], last: Sequence[int] = ()) -> None:
        """Let nodes arrive, with data 1 << node; those in ``last`` for the last time."""
        keys = {node: (node, self.places[gid, node]) for node in nodes}
        data = {key: 1 << node for node, key in keys.items()}
        self.step(arrive=data, last=[keys[node] for node in last])

    def barrier(self, gid: int, last: bool = False) -> list[tuple[int, int, int, bool]]:
        """Let all members arrive one after another; return what is released by the end."""
        self.released.clear()
        for node in self.members(gid):
            self.arrive(gid, [node], [node] if last else [])
        self.settle()
        return sorted(self.released)

    def kill(self, target: int, register: int) -> int | None:
        """Write the command KILL to a register."""
        return self.request(target, 8 * register + COMMAND_WORD, Command.KILL)

    def kill_request(self, target: int, register: int) -> ConfigRequest:
        """Return the request for that."""
        return ConfigRequest(target, 8 * register + COMMAND_WORD, True, Command.KILL)


def tree_word(parent: int, children: Iterable[int]) -> int:
    return TREE.pack({"parent": parent, "children": sum(1 << child for child in children)})
