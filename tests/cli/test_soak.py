"""``syncfabric soak``: what it says and its exit codes; the soak itself is tested in tests/sim."""

import json
from typing import Any

import pytest

from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.sim.soak import soak as module
from syncfabric.sim.soak.result import (
    Finding,
    Latencies,
    SoakGroup,
    SoakPhase,
    SoakResult,
)
from syncfabric.sim.soak.soak import SoakRequest
from tests.cli.conftest import Call

HISTOGRAM = {9: 500, 12: 499, 40: 1}


@pytest.fixture
def outcome(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Replace the soak; what the test puts in here changes its result."""
    changes: dict[str, Any] = {}

    def soak(spec: NetworkSpec, request: SoakRequest, **_: Any) -> SoakResult:
        request.check(spec)
        group = SoakGroup(1, 16, 3, 1, Latencies.of(HISTOGRAM), 16, False, HISTOGRAM)
        values = {
            "network": spec.name,
            "verdict": "clean",
            "findings": (),
            "episodes": 1000,
            "cycles": 50_000,
            "build_seconds": 1.0,
            "run_seconds": 5.0,
            "processor_seconds": 2.0,
            "groups": (group,),
            "phases": (SoakPhase(1.0, 0.5, 50_000, 80_000),),
            "packets": 80_000,
            "flits": 400_000,
            "latency_max": 1066,
            "wait_max": 118,
            "set_up_refused": 2,
            "streams": 12,
            "seed": request.seed,
        }
        return SoakResult(**(values | changes))  # type: ignore[arg-type]

    monkeypatch.setattr(module, "soak", soak)
    return changes


def test_a_clean_soak(call: Call, outcome: dict[str, Any]) -> None:
    result = call("soak", "mesh-4x4", "--episodes", 1000)
    assert result.exit_code == 0
    assert "9/9/12/40" in result.stdout
    assert "16 alone" in result.stdout
    assert "1,000 barriers in 50,000 cycles: 500 barriers and 25,000 cycles a second" in (
        result.stdout
    )
    assert "greatest latency 1,066 cycles" in result.stdout
    assert "in a source's queue 118 cycles" in result.stdout
    assert "2 set-ups were refused and tried again" in result.stdout
    assert "nothing lost, early, wrong or stuck" in result.stdout


def test_what_is_found_is_printed_with_what_repeats_it(call: Call, outcome: dict[str, Any]) -> None:
    found = Finding(123, 1, (2, 3), "released twice")
    outcome |= {"verdict": "wrong", "findings": (found,)}
    words = (
        "soak",
        "mesh-4x4",
        "--episodes",
        9,
        "--seed",
        5,
        "--lifetime",
        4,
        "--inject",
        "drop 1 2",
    )
    result = call(*words)
    assert result.exit_code == 1
    assert "nothing lost" not in result.stdout
    assert "wrong: cycle 123, group 1, node (2, 3): released twice\n" in result.stderr
    assert (
        "repeat it with: syncfabric soak mesh-4x4 --episodes 9 --seed 5 --jitter 15 --lifetime 4 "
        "--inject 'drop 1 2'\n"
    ) in result.stderr


def test_an_interrupted_soak_says_where_it_stood(call: Call, outcome: dict[str, Any]) -> None:
    outcome |= {"verdict": "interrupted"}
    result = call("soak", "mesh-4x4", "--episodes", 5000)
    assert result.exit_code == 130
    assert "9/9/12/40" in result.stdout
    assert (
        "interrupted in cycle 50000: 1000 of 5000 barriers, and nothing was wrong" in result.stderr
    )


def test_json(call: Call, outcome: dict[str, Any]) -> None:
    value = json.loads(call("soak", "mesh-4x4", "--json").stdout)
    assert value["groups"][0]["latency"] == {
        "count": 1000,
        "min": 9,
        "median": 9,
        "most_999": 12,
        "max": 40,
    }
    assert value["repeat"] == ("syncfabric soak mesh-4x4 --episodes 100000 --seed 1 --jitter 15")
