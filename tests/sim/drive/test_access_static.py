"""Unauthorized access, static: processes without a role, or inside, and untimely words."""

from pathlib import Path
from typing import Any

import pytest

from syncfabric.models.golden.record import ConfigRequest, Record
from syncfabric.models.golden.static import StaticModel
from syncfabric.models.messages.registers import COUNTER_BASE, Counter
from syncfabric.models.messages.static import INIT, ROLE_WORD, LoaderWord, Role, StaticWord
from syncfabric.sim.assemble.script import Stimulus, StimulusKind, script_text
from syncfabric.sim.drive.trace import EMPTY, observe_line, record_line
from syncfabric.sim.fabric.build import build_fabric
from syncfabric.sim.fabric.program import Fabric
from tests.models.golden.static_bench import Bench, Group, chain_words, cycle, ring, tree
from tests.sim.drive.static.networks import SMALL

RING = ring(cycle(2, 3), [(0, 0), (0, 2), (1, 1)])
TREE = tree({(3, 0): (2, 0), (3, 1): (3, 0), (2, 1): (2, 0)}, (2, 0), [(3, 1), (2, 1)])
ALONE = Group((3, 2), ((3, 2),), {}, 0)
GROUPS = (RING, TREE, ALONE)
STATE = ("left", "owed", "back", "go", "begun")
WHERE = ("east", "north", "west", "south", "core")
Look = dict[str, int]


class Recorder:
    """Wraps a model's ``step``: keeps its inputs as stimuli and what the probe must write.

    Parameters
    ----------
    model : StaticModel
        Fresh from reset.
    """

    def __init__(self, model: StaticModel) -> None:
        self._model, self._step = model, model.step
        self._seen: dict[int, int] = {}
        self.stimuli: list[Stimulus] = []
        self.text: list[str] = []
        self._step()  # nothing can be driven in the first cycle
        model.step = self.step  # type: ignore[method-assign]

    def step(self, **inputs: Any) -> Record | None:
        """Step the model, and write down what goes in and what comes out."""
        model, now = self._model, self._model.cycle
        for (node, _), data in inputs.get("arrive", {}).items():
            self.stimuli.append(Stimulus(now, StimulusKind.ARRIVE, node, data))
        for node, flit in inputs.get("send", {}).items():
            self.stimuli.append(Stimulus(now, StimulusKind.SEND, node, flit))
        for node in inputs.get("take", ()):
            self.stimuli.append(Stimulus(now, StimulusKind.TAKE, node))
        config = inputs.get("config")
        if config is not None:
            index = config.node << 12 | config.address
            write = int(config.write)
            self.stimuli.append(Stimulus(now, StimulusKind.CONFIG, index, config.data, write))
        answer = model.config_answer
        changed = self._changed() if model.release else None
        record = self._step(**inputs)
        if record is not None or answer[0]:
            self.text.append(record_line(now, record or EMPTY, answer))
            if changed is not None:
                self.text.append(observe_line(changed))
        return record

    def _changed(self) -> list[tuple[int, int]]:
        changed = []
        for target in sorted(self._model.dirty):
            value = self._model.observe(target)
            if value != self._seen.get(target, 0):
                self._seen[target] = value
                changed.append((target, value))
        self._model.dirty.clear()
        return changed

    def check(self, folder: Path) -> None:
        """Play the stimuli on hardware, and compare every line of its probe."""
        script, probe = folder / "script.txt", folder / "probe.txt"
        script.write_text(script_text(self.stimuli))
        with Fabric(build_fabric(SMALL)) as fabric:
            fabric.probe(probe)
            fabric.script(script)
            fabric.run(self._model.cycle)
            seen = probe.read_text().splitlines()
        for number, (hardware, model) in enumerate(zip(seen, self.text, strict=False)):
            assert hardware == model, f"line {number}"
        assert len(seen) == len(self.text)


class Harness:
    """A static network with a ring, a tree and a group of one, all set up and quiet."""

    def __init__(self) -> None:
        self.bench = bench = Bench(SMALL, list(GROUPS))
        self.recorder = Recorder(bench.model)
        bench.clock = bench.model.step
        bench.load()
        for group in GROUPS:
            bench.begin(group)
        bench.quiesce()
        self.index = bench.mesh.index
        self.members = [self.index(node) for group in GROUPS for node in group.members]
        self.nodes = range(len(bench.mesh.nodes))
        self.nonmembers = [node for node in self.nodes if node not in self.members]

    def looks(self) -> list[Look]:
        """Return what every node shows."""
        return [self.bench.look(node) for node in self.bench.mesh.nodes]

    def state(self, names: tuple[str, ...] = (*STATE, *WHERE)) -> list[Look]:
        """Return the state of agents and buffers, which no refusal may change."""
        return [{name: look[name] for name in names} for look in self.looks()]

    def counts(self, counter: Counter) -> list[int]:
        """Return a counter of every node, read over the config port."""
        return [self.bench.request(node, COUNTER_BASE + counter) for node in self.nodes]

    def roles(self) -> list[int]:
        """Return every node's role."""
        return [self.bench.request(node, StaticWord.ROLE) for node in self.nodes]

    def refused(self, target: int, address: int, data: int | None = None) -> bool:
        """Ask the config port; return whether it refuses."""
        bench = self.bench
        bench.step(config=ConfigRequest(target, address, data is not None, data or 0))
        while not bench.model.config_answer[0]:
            bench.step()
        return bench.model.config_answer[1]

    def arrive(self, nodes: list[int]) -> None:
        self.bench.step(arrive={(node, 0): 0 for node in nodes})

    def released(self, cycles: int = 200) -> list[int]:
        """Step on; return the released members."""
        found: list[int] = []
        for _ in range(cycles):
            found += [node for node, _, _ in self.bench.model.release]
            self.bench.step()
        return sorted(found)


def without_a_role(on: Harness) -> None:
    """Let nonmembers arrive, send and take; routes and all states stay as they are."""
    before, roles = on.state(), on.roles()
    for _ in range(2):
        on.arrive(on.nonmembers)
    assert on.state() == before
    wanted = [2 * (node in on.nonmembers) for node in on.nodes]
    assert on.counts(Counter.REFUSED_ARRIVE) == wanted
    # No route leads on from a stranger: what it sends fills its injection buffer, and no more.
    for flit in range(SMALL.injection_buffer + 2):
        on.bench.step(send=dict.fromkeys(on.nonmembers, flit), take=on.nonmembers)
    on.bench.quiesce()
    assert (on.state(), on.roles()) == (before, roles)
    full = {on.index(node) for node, name, _ in on.bench.full() if name == "injection"}
    assert full >= {*on.nonmembers}
    unexpected = SMALL.injection_buffer + 2 + 2
    assert on.counts(Counter.STRAY) == [unexpected * (node in on.nonmembers) for node in on.nodes]


def with_a_role(on: Harness) -> None:
    """Let members send and take what is their agents' to send and take: it is ignored."""
    before, unexpected = on.looks(), on.counts(Counter.STRAY)
    for flit in range(4):
        on.bench.step(send=dict.fromkeys(on.members, flit), take=on.members)
    assert (on.looks(), on.counts(Counter.STRAY)) == (before, unexpected)


def while_waiting(on: Harness) -> None:
    """Let all but one of each group arrive, and once more; write roles that are in use."""
    refused = on.counts(Counter.REFUSED_ARRIVE)
    inside = [on.index(node) for group in (RING, TREE) for node in group.members[:-1]]
    on.arrive(inside)
    assert on.released() == []
    before, roles = on.state(), on.roles()
    for _ in range(3):
        on.arrive(inside)
    assert on.state() == before
    again = [count + 3 * (node in inside) for node, count in enumerate(refused)]
    assert on.counts(Counter.REFUSED_ARRIVE) == again
    writes = on.counts(Counter.REFUSED_WRITE)
    for node in inside:
        for role in (Role.NONE, Role.ALONE, Role.TREE_ROOT):
            word = ROLE_WORD.pack({"role": role, "flits": 1})
            assert on.refused(node, StaticWord.ROLE, word)
        assert on.refused(node, StaticWord.COMMAND, INIT)
    assert (on.state(), on.roles()) == (before, roles)
    more = [count + 4 * (node in inside) for node, count in enumerate(writes)]
    assert on.counts(Counter.REFUSED_WRITE) == more


def while_it_shifts(on: Harness) -> None:
    """Ask the loader for all that it does in the middle of a word, and go on."""
    before, loader = on.state(), len(on.nodes)
    word, *others = chain_words(on.bench.mesh, {})
    on.bench.step(config=ConfigRequest(loader, LoaderWord.SHIFT, True, word))
    for address, write in ((0, True), (1, True), (2, False), (1, True)):
        on.bench.step(config=ConfigRequest(loader, address, write, 0xFFFFFFFF))
        assert on.bench.model.config_answer[:2] == (True, True)
    on.bench.step()
    while not on.bench.model.config_answer[0]:
        on.bench.step()
    assert not on.bench.model.config_answer[1]
    for address, data in ((0, None), (1, None), (2, 0), (3, None), (3, 0), (StaticWord.ROLE, None)):
        assert on.refused(loader, address, data)
    # The rest of a chain without routes, which is not strobed.
    for other in others:
        on.bench.request(loader, LoaderWord.SHIFT, other)
    assert on.state() == before


def goes_on(on: Harness) -> None:
    """See that the last member ends each barrier, once for everybody, and that another follows."""
    on.arrive([on.index(group.members[-1]) for group in GROUPS])
    assert on.released() == sorted(on.members)
    on.arrive(on.members)
    assert on.released() == sorted(on.members)


def while_flushed(on: Harness) -> None:
    """Load the ring anew: members that arrive, or begin, in the cycle of the flush are refused."""
    refused, before = on.counts(Counter.REFUSED_ARRIVE), on.state()
    inside = [on.index(node) for node in RING.members]
    routes = {key: port for group in GROUPS for key, port in group.routes.items()}
    for word in chain_words(on.bench.mesh, routes, RING.outputs):
        on.bench.request(len(on.nodes), LoaderWord.SHIFT, word)
    on.bench.request(len(on.nodes), LoaderWord.STROBE, 0)
    begin = ConfigRequest(on.index(RING.root), StaticWord.COMMAND, True, INIT)
    on.bench.step(config=None)
    on.bench.step(arrive={(node, 0): 0 for node in inside}, config=begin)
    assert on.bench.model.config_answer[1]
    on.bench.quiesce()
    now = on.counts(Counter.REFUSED_ARRIVE)
    assert [after - count for after, count in zip(now, refused, strict=True)] == [
        int(node in inside) for node in on.nodes
    ]
    after = on.state()
    gone = dict.fromkeys((*STATE, "core"), 0)
    assert all(after[node] == {**after[node], **gone} for node in inside)
    others = [on.index(node) for node in on.bench.mesh.nodes if node not in cycle(2, 3)]
    assert [after[node] for node in others] == [before[node] for node in others]


def all_of_it() -> Harness:
    """Return a harness in which all have tried."""
    on = Harness()
    without_a_role(on)
    with_a_role(on)
    while_waiting(on)
    while_it_shifts(on)
    goes_on(on)
    while_flushed(on)
    return on


def test_only_members_arrive_and_only_the_config_port_loads(tmp_path: Path) -> None:
    all_of_it().recorder.check(tmp_path)


def test_an_arrival_that_is_refused_is_seen(tmp_path: Path) -> None:
    """One that is not made on the hardware is missed in its counter."""
    on = Harness()
    without_a_role(on)
    kinds = [each.kind for each in on.recorder.stimuli]
    assert kinds.count(StimulusKind.ARRIVE) == 2 * len(on.nonmembers)
    on.recorder.stimuli = [each for each in on.recorder.stimuli if each.kind != StimulusKind.ARRIVE]
    with pytest.raises(AssertionError, match="line"):
        on.recorder.check(tmp_path)
