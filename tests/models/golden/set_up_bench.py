"""Networks whose groups a manager sets up, clears and kills."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from syncfabric.models.golden.model import GoldenModel
from syncfabric.models.golden.network import model_of
from syncfabric.models.golden.record import ConfigRequest
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
    RegisterWord,
    Request,
    SwitchWord,
    register_address,
)
from syncfabric.models.networks.spec import IrregularSpec, MeshSpec
from syncfabric.models.planning.tree import Tree
from tests.models.golden.conftest import image
from tests.models.golden.irregular_bench import Group

__all__ = ["IrregularBench", "MeshBench", "Release", "tree_word"]

GroupT = TypeVar("GroupT")

Release = tuple[int, int, int, bool]
"""Node, register, result, and whether it is broken."""


@dataclass
class SetUpBench(ABC, Generic[GroupT]):
    """A model and the software of its nodes; ``places`` is the register of (group, node)."""

    network: IrregularSpec | MeshSpec
    groups: dict[int, GroupT] = field(default_factory=dict)
    places: dict[tuple[int, int], int] = field(default_factory=dict)
    latency: int = 1
    command_word: int = RegisterWord.STATUS

    def __post_init__(self) -> None:
        self.model: GoldenModel = model_of(self.network)
        index = self.network.topology.index
        self.managers = [index(node) for node in self.network.manager_nodes]
        self.released: list[Release] = []

    @abstractmethod
    def entries(self, group: GroupT, fields: dict[str, int]) -> list[tuple[int, ...]]:
        """Return the words of a manager's entries for a group, the root's last."""

    @abstractmethod
    def enrol(self, group: GroupT, gid: int, epoch: int = 0, slot: int = 0) -> None:
        """Do what members do before a group is set up."""

    @abstractmethod
    def members(self, gid: int) -> list[int]:
        """Return the nodes of a group."""

    # The config port and time.

    def step(
        self,
        *,
        arrive: dict[tuple[int, int], int] | None = None,
        last: Collection[tuple[int, int]] = (),
        start: bool = False,
        config: ConfigRequest | None = None,
    ) -> None:
        """Step, and keep what is released."""
        self.model.step(arrive=arrive or {}, last=last, start=start, config=config)
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
        for _ in range(self.latency - 1):
            self.step()
        ready, error, answer = self.model.config_answer
        assert ready
        return None if error else answer

    def counter(self, target: int, counter: Counter) -> int:
        """Read a counter."""
        found = self.request(target, COUNTER_BASE + counter)
        assert found is not None
        return found

    # What managers do.

    def load(
        self, group: GroupT, gid: int, epoch: int = 0, op: str = "or", manager: int = 0
    ) -> int:
        """Write a manager's memory with a group; return the number of its entries."""
        fields: dict[str, int] = {"gid": gid, "epoch": epoch, "op": Op[op.upper()]}
        entries = self.entries(group, fields)
        self.manage(manager, ManagerWord.POINTER, 0)
        for entry in entries:
            for word in entry:
                self.manage(manager, ManagerWord.DATA, word)
        return len(entries)

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

    def kill_request(self, target: int, register: int) -> ConfigRequest:
        """Return a request with the command KILL to a register."""
        address = 8 * register + self.command_word
        return ConfigRequest(target, address, True, Command.KILL)

    def kill(self, target: int, register: int) -> int | None:
        """Write the command KILL to a register."""
        return self.request(target, 8 * register + self.command_word, Command.KILL)

    # What members do.

    def set_up(self, group: GroupT, gid: int, epoch: int = 0, slot: int = 0) -> int:
        """Set a group up from beginning to end; return its number of entries."""
        self.enrol(group, gid, epoch, slot)
        count = self.load(group, gid, epoch)
        assert self.run(Request.SETUP, count) == (ManagerState.DONE, Answer.OK, 0)
        self.settle()
        for node in self.members(gid):
            assert self.model.ready(node, self.place(gid, node))
        return count

    def place(self, gid: int, node: int) -> int:
        """Return a node's register of a group."""
        found = self.model.holder(node, gid)
        return self.places[gid, node] if found is None else found

    def arrive(self, gid: int, nodes: Iterable[int], last: Collection[int] = ()) -> None:
        """Let nodes arrive, with a data bit each; those in ``last`` for the last time."""
        keys = {node: (node, self.place(gid, node)) for node in nodes}
        data = {key: 1 << node for node, key in keys.items()}
        self.step(arrive=data, last=[keys[node] for node in last])

    def barrier(self, gid: int, last: bool = False) -> list[Release]:
        """Let all members arrive one after another; return what is released by the end."""
        self.released.clear()
        for node in self.members(gid):
            self.arrive(gid, [node], [node] if last else [])
        self.settle()
        return sorted(self.released)


@dataclass
class IrregularBench(SetUpBench[Group]):
    """An irregular network; members write their own node interfaces' registers."""

    network: IrregularSpec
    latency: int = 2
    command_word: int = COMMAND_WORD

    def entries(self, group: Group, fields: dict[str, int]) -> list[tuple[int, ...]]:
        """Return the words of a manager's entries for a group, the root's last."""
        count = len(self.network.nodes)
        images = {target - count: group.images[target] for target in group.images}
        switches = [switch for switch in images if switch >= 0]
        top = next(target for target, (_, _, root) in group.images.items() if root)
        root_switch = top - count if top >= count else self.network.nodes[top][0]
        switches.sort(key=lambda switch: switch == root_switch)
        return [
            (
                self.header(switch),
                REQUEST.pack({**fields, "root": images[switch][2]}),
                tree_word(*images[switch][:2]),
            )
            for switch in switches
        ]

    def header(self, switch: int) -> int:
        """Return the header to a switch's sink."""
        fields = {"switch": switch, "port": self.network.ports}
        return self.network.layout.header.pack(fields)

    def enrol(self, group: Group, gid: int, epoch: int = 0, slot: int = 0) -> None:
        """Write the members' own registers."""
        self.groups[gid] = group
        for target in self.members(gid):
            parent, children, root = group.images[target]
            self.places[gid, target] = slot
            where = register_address(slot, SwitchWord.CONTROL)
            assert self.request(target, where, 0) == 0
            tree = register_address(slot, SwitchWord.TREE)
            assert self.request(target, tree, tree_word(parent, children)) == 0
            control = CONTROL.pack({"valid": 1, "root": root, "gid": gid, "epoch": epoch})
            assert self.request(target, where, control) == 0

    def members(self, gid: int) -> list[int]:
        """Return the nodes of a group."""
        return [target for target in self.groups[gid].images if target < len(self.network.nodes)]


@dataclass
class MeshBench(SetUpBench[Tree]):
    """A mesh; the manager writes all registers."""

    network: MeshSpec

    def entries(self, group: Tree, fields: dict[str, int]) -> list[tuple[int, ...]]:
        """Return the words of a manager's entries for a group, the root's last."""
        network, found = self.network, []
        op = Op(fields["op"]).name.lower()
        for node in sorted(group.members, key=lambda node: node == group.root):
            register = group.register(node, fields["gid"], op)
            words = image(register)
            control = CONTROL.unpack(words[RegisterWord.CONTROL])
            known = {name: control[name] for name in ("root", "turn")}
            header = network.layout.header.pack({"x": node[0], "y": node[1]})
            images = (words.get(RegisterWord(word), 0) for word in range(1, 6))
            found.append((header, REQUEST.pack({**fields, **known}), *images))
        return found

    def enrol(self, group: Tree, gid: int, epoch: int = 0, slot: int = 0) -> None:
        """Remember the group: there is nothing else to do."""
        self.groups[gid] = group

    def members(self, gid: int) -> list[int]:
        """Return the nodes of a group."""
        return sorted(self.network.mesh.index(node) for node in self.groups[gid].members)


def tree_word(parent: int, children: Iterable[int]) -> int:
    return TREE.pack({"parent": parent, "children": sum(1 << child for child in children)})
