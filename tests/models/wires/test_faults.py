"""Broken wires, counted; and each of a sample against the golden model."""

import random

import pytest

from syncfabric.models.golden.network import model_of
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import CONTROL, Op
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.wires import WirePlane
from syncfabric.models.wires.faults import (
    DATA,
    EPISODES,
    LEVELS,
    Fault,
    Outcome,
    Trial,
    mesh_tree,
    suffer,
)
from syncfabric.models.wires.rules import Rules
from syncfabric.models.wires.slots import Slots
from syncfabric.models.wires.tree import Tree
from tests.models.golden.wire_nets import wired_mesh, wires_in

MESH = Mesh(3, 2)
MEMBERS = [(0, 0), (2, 0), (0, 1), (1, 1)]
STEPS = {1: 0, 3: 1, -1: 2, -3: 3}
"""Ports of a mesh of three columns by the difference of two nodes' numbers."""


def golden(tree: Tree, registers: int, parity: bool, trial: Trial, fault: Fault, end: int) -> str:
    """Return what becomes of one fault, with the golden model and a count of its own."""
    model = model_of(wired_mesh(3, 2, WirePlane(1, 1, registers, parity=parity)))
    for unit, parent in enumerate(tree.parents):
        if parent is not None:
            kids = [kid for kid in range(6) if tree.kids[unit] >> kid & 1]
            children = sum(1 << STEPS[kid - unit] for kid in kids)
            children |= (tree.members >> unit & 1) << 4
            up = 0 if parent == unit else STEPS[parent - unit]
            model.step(config=ConfigRequest(unit, 1, True, up | children << 4))
            control = CONTROL.pack({"valid": 1, "root": int(parent == unit), "op": Op.XOR})
            model.step(config=ConfigRequest(unit, 0, True, control))
    model.step()
    model.step()
    above = tree.parents[fault.unit]
    assert above is not None
    far = STEPS[above - fault.unit]
    upward = fault.wire.startswith("up")
    link = 4 * fault.unit + far if upward else 4 * above + (far + 2) % 4
    wires = wires_in(model)
    form = wires.form
    places = {"up": form.up(0), "down": form.down(0)}
    places |= {"up_data": form.up_data_at, "down_data": form.down_data_at}
    wire = 1 << places[fault.wire]
    given = dict.fromkeys(trial.members, 0)
    told = dict.fromkeys(trial.members, 0)
    come = {member: int(trial.delays[0, i]) for i, member in enumerate(trial.members)}
    start = model.cycle
    early = wrong = False
    while model.cycle - start < end:
        now = model.cycle - start
        for node, _, result in model.release:
            if not model.broken(node, 0):
                early |= min(given.values()) <= told[node]
                wrong |= result != trial.bits[told[node]].sum() % 2
                told[node] += 1
                i = trial.members.index(node)
                come[node] = now + int(trial.delays[told[node], i])
        if now == fault.begin:
            wires.stick(link, **{"high" if fault.value else "low": wire})
        if now == fault.begin + fault.length:
            wires.stick(link)
        arrive = {}
        for node in trial.members:
            waits = model.observe(node) & 1
            wants = given[node] < EPISODES and come[node] <= now
            if model.ready(node, 0) and not waits and wants:
                own = trial.bits[given[node], trial.members.index(node)]
                arrive[node, 0] = int(own)
        model.step(arrive=arrive)
        for node, _ in arrive:
            given[node] += 1
    if early:
        return "early"
    if wrong:
        return "wrong"
    if any(model.observe(unit) >> 3 & 1 for unit in range(6)):
        return "found"
    return "harmless" if min(told.values()) >= EPISODES else "hangs"


@pytest.mark.parametrize(("registers", "parity"), [(0, False), (1, False), (2, True)])
def test_outcomes_are_those_of_the_golden_model(registers: int, parity: bool) -> None:
    rng, tree = random.Random(registers), mesh_tree(MESH, MEMBERS)
    trial = Trial(Slots([tree], registers, Rules(parity=parity)), seed=7)
    begin, end, done = trial.quiet()
    links = [unit for unit in range(6) if tree.units & ~tree.root & 1 << unit]
    chosen = [
        Fault(
            rng.choice([*LEVELS, *DATA]),
            rng.choice(links),
            rng.randrange(2),
            rng.randint(begin, end),
            rng.choice([1, 3, 1 << 14]),
        )
        for _ in range(100)
    ]
    counts = dict.fromkeys(("early", "wrong", "found", "hangs", "harmless"), 0)
    for fault in chosen:
        outcome = golden(tree, registers, parity, trial, fault, 2 * done)
        assert vars(trial.suffer([fault], 2 * done))[outcome] == 1, fault
        counts[outcome] += 1
    assert vars(trial.suffer(chosen, 2 * done)) == counts


def test_what_protects_from_what() -> None:
    tree = mesh_tree(Mesh(2, 2), Mesh(2, 2).nodes)
    bare, check, parity, one = Rules(check=False), Rules(), Rules(parity=True), range(1)
    for value in (0, 1):
        assert suffer(tree, 0, bare, value, seeds=one).early
        stuck = suffer(tree, 0, parity, value, seeds=one)
        assert stuck == Outcome(0, 0, stuck.all, 0, 0)
        assert not suffer(tree, 0, parity, value, (1, 2), seeds=one).early
    assert not suffer(tree, 1, check, 0, seeds=one).early
    assert not suffer(tree, 1, check, 0, (1, 2, 5), seeds=one).early
    assert suffer(tree, 0, check, 1, seeds=one).early


def test_nothing_but_parity_finds_broken_data() -> None:
    tree, one = mesh_tree(Mesh(2, 2), Mesh(2, 2).nodes), range(1)
    for value in (0, 1):
        for lengths in (None, (1, 2)):
            by_check = suffer(tree, 1, Rules(), value, lengths, one, DATA)
            assert by_check == suffer(tree, 1, Rules(check=False), value, lengths, one, DATA)
            assert by_check == Outcome(0, by_check.wrong, 0, 0, by_check.harmless)
            assert by_check.wrong
            by_parity = suffer(tree, 1, Rules(parity=True), value, lengths, one, DATA)
            assert by_parity == Outcome(0, 0, by_parity.found, 0, by_parity.harmless)
            assert by_parity.found >= by_check.wrong


def test_a_level_too_early_may_leave_data_out() -> None:
    """An `up` stuck at 1: its parent combines before the kid has, though all have arrived."""
    tree = mesh_tree(Mesh(2, 2), Mesh(2, 2).nodes)
    assert suffer(tree, 0, Rules(), 1, seeds=range(1)).wrong


def test_trees_on_a_mesh_pass_through_others() -> None:
    tree = mesh_tree(Mesh(3, 3), [(0, 0), (2, 2)])
    assert tree.parents == (1, 4, None, None, 4, None, None, 4, 7)
    assert tree.members == 0b100000001
