"""``syncfabric campaign``: what it says and its exit codes; tests/sim tests the campaign itself."""

import json
import re
from collections import Counter
from typing import Any

import pytest

from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.sim.campaign import campaign as module
from syncfabric.sim.campaign.request import CampaignRequest, Kind, is_meant
from syncfabric.sim.campaign.result import CampaignResult, KindCount, Outcome, Verdict
from syncfabric.sim.campaign.trial import Trial
from tests.cli.conftest import Call


@pytest.fixture
def outcomes(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Kind, Verdict, str]]:
    """Replace the campaign; what the test puts in here are its trials."""
    trials: list[tuple[Kind, Verdict, str]] = []

    def campaign(spec: NetworkSpec, request: CampaignRequest, **_: Any) -> CampaignResult:
        request.check(spec)
        kinds = (KindCount(kind, is_meant(spec.network, kind)) for kind in request.chosen(spec))
        result = CampaignResult(spec.name, request.seed, tuple(kinds), processor_seconds=2.0)
        for number, (kind, verdict, text) in enumerate(trials, request.first):
            trial = Trial(number, kind, (), 1, 0, False, 1)
            result.add(Outcome(trial, verdict, ("LOST",), text, 500, 6))
        result.interrupted = len(trials) < request.faults
        return result

    monkeypatch.setattr(module, "campaign", campaign)
    return trials


def test_a_clean_campaign(call: Call, outcomes: list[Any]) -> None:
    outcomes += [(Kind.DROP, Verdict.RECOVERED, ""), (Kind.FLIP, Verdict.MASKED, "")]
    outcomes += [(Kind.DROP, Verdict.MISSED, ""), (Kind.FLIPS, Verdict.EARLY, "early")]
    result = call("campaign", "campaign-mesh", "--faults", 3)
    assert result.exit_code == 0
    assert (
        "3 faults in 4 trials, 24 barriers and 2,000 cycles: 2 faults, 12 barriers and 1,000"
        in (result.stdout)
    )
    assert "flips (not meant)" in result.stdout
    assert "none released early, and none hung unreported" in result.stdout


def test_what_is_found_is_printed_with_what_repeats_it(call: Call, outcomes: list[Any]) -> None:
    outcomes += [(Kind.DROP, Verdict.DETECTED, ""), (Kind.DROP, Verdict.EARLY, "node 3")]
    words = ("campaign", "campaign-mesh", "--faults", 2, "--seed", 5, "--kinds", "drop,credit")
    result = call(*words, "--first", 7)
    assert result.exit_code == 1
    assert "none released early" not in result.stdout
    assert "wrong: trial 8 (drop): false release: node 3\n" in result.stderr
    assert (
        "repeat it with: syncfabric campaign campaign-mesh --faults 1 --seed 5 --kinds drop,credit "
        "--first 8\n"
    ) in result.stderr


def test_an_interrupted_campaign_says_how_far_it_came(call: Call, outcomes: list[Any]) -> None:
    outcomes += [(Kind.DROP, Verdict.RECOVERED, "")]
    result = call("campaign", "campaign-mesh", "--faults", 9)
    assert result.exit_code == 130
    assert "interrupted: 1 of 9 faults" in result.stderr


def test_json(call: Call, outcomes: list[Any]) -> None:
    outcomes += [(Kind.DROP, Verdict.SILENT, "group 1")]
    value = json.loads(call("campaign", "campaign-mesh", "--json", "--kinds", "drop").stdout)
    (drop,) = value["kinds"]
    verdicts = Counter({verdict.name.lower(): 0 for verdict in Verdict})
    assert drop == {
        "kind": "drop",
        "meant": True,
        **{**verdicts, "silent": 1},
        "reported_by": {"LOST": 1},
        "told": {"LOST": 1},
    }
    assert value["verdict"] == "wrong"
    (finding,) = value["findings"]
    assert finding == {"number": 0, "kind": "drop", "verdict": "silent hang", "text": "group 1"}
    assert value["repeat"] == (
        "syncfabric campaign campaign-mesh --faults 10000 --seed 1 --kinds drop"
    )


def test_help_names_every_kind(call: Call) -> None:
    said = set(re.findall(r"[\w-]+", call("campaign", "--help").stdout))
    assert {kind.value for kind in Kind} <= said
