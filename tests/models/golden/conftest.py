"""Networks set up through the config port, and groups that arrive as told."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from syncfabric.models.golden.mesh import ConfigRequest, MeshModel
from syncfabric.models.golden.network import model_of
from syncfabric.models.golden.record import Observer
from syncfabric.models.messages import (
    CONTROL,
    NODE_WORD,
    Op,
    RegisterWord,
    register_address,
)
from syncfabric.models.networks.mesh import Node
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.planning.btm import build_tree
from syncfabric.models.planning.tree import Register, Tree


def image(register: Register) -> dict[RegisterWord, int]:
    """Return the words to write, the control word last."""
    words = {}
    nodes = (register.parent, *register.children)
    for word, node in enumerate(nodes, RegisterWord.PARENT):
        if node is not None:
            words[RegisterWord(word)] = NODE_WORD.pack({"x": node[0], "y": node[1], "present": 1})
    words[RegisterWord.CONTROL] = CONTROL.pack(
        {
            "valid": 1,
            "root": register.parent is None,
            "turn": register.turn,
            "op": Op[register.op.upper()],
            "epoch": register.epoch,
            "gid": register.gid,
        }
    )
    return words


@dataclass
class Bench:
    """A model with its groups set up; every member of a group has it in register 0 or up."""

    model: MeshModel
    trees: dict[int, Tree] = field(default_factory=dict)
    places: dict[tuple[int, int], int] = field(default_factory=dict)

    def add(self, gid: int, members: Sequence[Node], op: str = "or") -> None:
        """Write a group's registers, one after another."""
        network = self.model.network
        tree = self.trees[gid] = build_tree(tuple(members))
        for node in members:
            index = network.mesh.index(node)
            slot = sum(1 for _, place in self.places if place == index)
            self.places[gid, index] = slot
            register = tree.register(node, gid, op)
            for word, data in image(register).items():
                where = register_address(slot, word)
                assert self.request(index, where, data) == 0

    def request(self, node: int, address: int, data: int | None = None) -> int | None:
        """Write ``data``, or read; return the answer, None for an error."""
        self.model.step(config=ConfigRequest(node, address, data is not None, data or 0))
        while not self.model.config_answer[0]:
            self.model.step()
        _, error, answer = self.model.config_answer
        return None if error else answer

    def settle(self) -> None:
        """Step until nothing moves."""
        while self.model.idle_until() is not None:
            self.model.step()

    def episode(self, gid: int, last: int, early: int = 60) -> int:
        """Let ``last`` arrive ``early`` cycles after the others; return the group's latency."""
        members = [node for group, node in self.places if group == gid]
        arrivals = {(node, self.places[gid, node]): 1 for node in members}
        if early:
            self.model.step(arrive={key: 1 for key in arrivals if key[0] != last})
            for _ in range(early):
                self.model.step()
            assert not self.model.release
            arrivals = {(last, self.places[gid, last]): 1}
        begin, released = self.model.cycle, 0
        self.model.step(arrive=arrivals)
        while True:
            released += len(self.model.release)
            if released == len(members):
                return self.model.cycle - begin
            assert self.model.idle_until() is not None, "the barrier hangs"
            self.model.step()


@pytest.fixture
def bench() -> Callable[..., Bench]:
    """Return a function that makes a started bench from the keys of ``[network]``."""

    def make(width: int, height: int, observer: Observer | None = None, **options: Any) -> Bench:
        network = MeshSpec(kind="mesh", width=width, height=height, **options)
        model = model_of(network, observer=observer)
        assert isinstance(model, MeshModel)
        made = Bench(model)
        made.model.step(start=True)
        return made

    return make
