"""Campaigns on small networks: clean with checks, and red without, or with broken hardware."""

from collections import Counter
from typing import Any

import pytest

from syncfabric.models.networks.spec import GroupSpec, MessageSpec, NetworkSpec
from syncfabric.sim.campaign.campaign import FaultClassifier, campaign
from syncfabric.sim.campaign.request import STREAM_KINDS, CampaignRequest, Kind, kinds_of
from syncfabric.sim.campaign.result import CampaignResult, Verdict
from syncfabric.sim.campaign.trial import Draw, Trial
from syncfabric.sim.fabric.program import Fabric
from tests.models.planning.checker import cluster, mesh
from tests.sim.soak.networks import BUILD, NETWORKS, TREE

KEYS: dict[str, Any] = {"check_bits": 8, "watchdog": 64, "data_bits": 4, "groups": 4}
MANAGED: dict[str, Any] = {**KEYS, "setup": "manager"}
KINDS = (*STREAM_KINDS, Kind.RENEW)
BARE = NETWORKS["engines"]
"""Neither checks nor watchdogs."""


def of(network: MessageSpec) -> NetworkSpec:
    """Return all nodes, and some of them."""
    nodes = tuple(network.topology.nodes)
    groups = (GroupSpec(id=1, members=nodes), GroupSpec(id=2, members=nodes[:-1], op="xor"))
    return NetworkSpec(name="struck", network=network, groups=groups)


STREAMING: dict[str, Any] = {"wires": 2, "streams": 2, "watchdog": 64, "groups": 4}


def streaming(network: MessageSpec) -> NetworkSpec:
    """Return a group of all nodes, and one of some, that have streams."""
    spec = of(network)
    groups = (group.model_copy(update={"stream": True}) for group in spec.groups)
    return spec.model_copy(update={"groups": tuple(groups)})


GUARDED = {
    "mesh, streams": streaming(mesh(3, 2, setup="manager", check_bits=8, **STREAMING)),
    "cluster, streams": streaming(
        cluster(TREE, link_registers=1, check_bits=8, **{**STREAMING, "stream_bits": 128})
    ),
    "mesh": of(mesh(3, 2, managers=((0, 0), (2, 1)), **MANAGED)),
    "mesh, over the chain": of(mesh(3, 2, message_links="shared", **KEYS)),
    "mesh, all operations": of(mesh(3, 2, operations="all", channels=2, **MANAGED)),
    "mesh, routed": of(mesh(3, 2, transport="routed", **MANAGED)),
    "wires": of(mesh(3, 2, wires=2, **KEYS)),
    "cluster": of(cluster(TREE, link_registers=1, **MANAGED)),
    "cluster, buffered": of(cluster(TREE, buffer_flits=3, **MANAGED)),
}


@pytest.fixture(autouse=True)
def built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take builds that other tests have: sources whose queue is longer."""
    monkeypatch.setattr(
        "syncfabric.sim.campaign.campaign.build_fabric", lambda network, queue: BUILD(network)
    )


def struck(spec: NetworkSpec, faults: int, *kinds: Kind, seed: int = 1) -> CampaignResult:
    names = tuple(kind.value for kind in kinds)
    return campaign(spec, CampaignRequest(faults, seed, names))


def verdicts(result: CampaignResult) -> Counter[Verdict]:
    """Return how often each verdict was given, of all kinds."""
    return sum((count.verdicts for count in result.kinds), Counter())


@pytest.mark.nightly
@pytest.mark.parametrize("name", GUARDED)
def test_with_checks_all_is_well(name: str) -> None:
    spec = GUARDED[name]
    kinds = [kind for kind in kinds_of(spec.network) if kind is not Kind.DEAD or "mesh" in name]
    result = struck(spec, 400, *kinds)
    assert (result.verdict, result.findings) == ("clean", [])
    assert result.faults == 400
    seen = verdicts(result)
    assert seen[Verdict.DETECTED] > 10
    assert seen[Verdict.RECOVERED] > 50


@pytest.mark.nightly
def test_a_word_of_a_stream_that_is_lost_breaks_its_group_alone() -> None:
    """What is wrong in a stream is found whatever it is, and nothing wrong comes out."""
    keys = {**STREAMING, "watchdog": 0}  # nothing else breaks a group
    result = struck(streaming(mesh(3, 2, setup="manager", check_bits=8, **keys)), 60, *KINDS)
    assert (result.verdict, result.findings) == ("clean", [])
    flip, drop, stuck, credit, renew = (
        next(count for count in result.kinds if count.kind is kind) for kind in KINDS
    )
    assert set(drop.verdicts) - {Verdict.MISSED} == {Verdict.RECOVERED}
    assert drop.reported["BROKEN"] == drop.reported["router LOST"] == drop.faults
    assert flip.reported["router CORRUPT"] == flip.faults
    assert stuck.verdicts[Verdict.RECOVERED] > 2
    assert not credit.verdicts[Verdict.RECOVERED]
    assert renew.faults > 2


@pytest.mark.nightly
def test_without_checks_a_stream_releases_wrong_words() -> None:
    result = struck(streaming(mesh(3, 2, **STREAMING)), 60, *STREAM_KINDS)
    seen = {count.kind: count.verdicts for count in result.kinds}
    assert seen[Kind.STREAM_FLIP][Verdict.WRONG] > 3
    assert not any(count.meant for count in result.kinds)


@pytest.mark.nightly
def test_without_checks_a_lost_message_hangs_unreported() -> None:
    result = struck(BARE, 24, Kind.DROP, Kind.ABSENT, Kind.SETUP)
    drop, absent, setup = (count.verdicts for count in result.kinds)
    assert drop[Verdict.SILENT] > 0
    assert set(absent) == {Verdict.SILENT}
    assert set(setup) == {Verdict.DETECTED}
    assert result.verdict == "wrong"
    assert result.findings[0].verdict == "silent hang"
    assert "stand still" in result.findings[0].text


def test_an_early_release_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hardware that lets a process go while a message is lost."""
    inject = FaultClassifier._inject

    def and_release(self: FaultClassifier, faults: Any, trial: Trial) -> None:
        inject(self, faults, trial)
        if faults:
            self.fabric.corrupt("release", trial.number % 6, self.cycle + trial.at + 10)

    monkeypatch.setattr(FaultClassifier, "_inject", and_release)
    result = struck(BARE, 12, Kind.DROP)
    assert verdicts(result)[Verdict.EARLY] > 6
    assert result.verdict == "wrong"
    assert any("released" in finding.text for finding in result.findings)


def test_wrong_data_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checker is given another operation than the hardware."""
    group = Fabric.group

    def another(fabric: Fabric, gid: int, endpoints: object, *, op: str, bound: int = 0) -> None:
        group(fabric, gid, endpoints, op={"xor": "or"}.get(op, op), bound=bound)  # type: ignore[arg-type]

    monkeypatch.setattr(Fabric, "group", another)
    assert verdicts(struck(BARE, 4, Kind.SETUP)) == {Verdict.WRONG: 4}


def test_a_trial_is_the_same_again_whatever_came_before() -> None:
    """Everything of the hardware goes back to where it was."""
    plan = CampaignRequest(1).check(BARE)
    draw = Draw(plan, kinds_of(plan.spec.network), 1)
    with Fabric(BUILD(plan.spec.network)) as fabric:
        classifier = FaultClassifier(fabric, plan)
        first = [classifier.classify(draw.trial(number)) for number in range(12)]
        again = [classifier.classify(draw.trial(number)) for number in reversed(range(12))]
    assert first == again[::-1]
    assert len({outcome.cycles for outcome in first}) > 6


@pytest.mark.nightly
@pytest.mark.parametrize(("watchdog", "reported"), [(0, "TIMEOUT"), (64, "STRAY")])
def test_a_static_network_has_timeouts_or_watchdogs_alone(watchdog: int, reported: str) -> None:
    spec = NETWORKS["static"]
    network = spec.network.model_copy(update={"watchdog": watchdog})
    result = struck(spec.model_copy(update={"network": network}), 100, Kind.ABSENT, Kind.DEAD)
    assert verdicts(result)[Verdict.RECOVERED] > 50
    assert {name for count in result.kinds for name in count.reported} == {reported}
    assert result.verdict == "clean"


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["mesh", "cluster"])
def test_every_unexpected_message_and_write_is_reported(name: str) -> None:
    result = struck(GUARDED[name], 300, Kind.INJECTED, Kind.SPURIOUS, Kind.WRITE)
    injected, spurious, write = (count.verdicts for count in result.kinds)
    assert (result.verdict, result.findings) == ("clean", [])
    assert not injected[Verdict.MASKED] + spurious[Verdict.MASKED]
    assert write[Verdict.DETECTED] > 5


@pytest.mark.nightly
def test_wires_without_checks_release_early() -> None:
    seen = verdicts(struck(of(mesh(3, 2, wires=2, watchdog=128)), 1_000, Kind.FLIP))
    assert seen[Verdict.EARLY] > 0
