"""``syncfabric soak``: what it says and its exit codes; the soak itself is tested in tests/sim."""

import json
from collections.abc import Callable
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
from tests.cli.test_bad_input import refused

Call = Callable[..., Any]

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


def test_what_is_found_is_told_with_what_repeats_it(call: Call, outcome: dict[str, Any]) -> None:
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


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["mesh-4x4", "--episodes", "0"], r"episodes must be 1 or more, not 0"),
        (["mesh-4x4", "--seed", "-1"], r"seed must be 0\.\.4294967295, not -1"),
        (["mesh-4x4", "--jitter", "-1"], r"jitter must be 0\.\.5,000 cycles, not -1"),
        (["mesh-4x4", "--jitter", "5001"], r"jitter must be 0\.\.5,000 cycles, not 5001"),
        (["mesh-4x4", "--lifetime", "0"], r"lifetime must be 1 barrier or more, not 0"),
        (
            ["mesh-4x4", "--inject", "drop one"],
            r"inject must be KIND PLACE CYCLE \[REGISTER\], with KIND one of drop, credit, dead, "
            r"release, not 'drop one'",
        ),
        (
            ["none.toml"],
            r"none\.toml: none has nothing to soak: no group of two members or more; add a "
            r"\[\[group\]\] to the network file",
        ),
        (
            ["paper.toml"],
            r'paper\.toml: setup = "paper" is not soaked: there software sets groups up once, by '
            r'packets, and tears none down; set setup = "manager" or "local" in \[network\]',
        ),
        (
            ["watched.toml", "--jitter", "60"],
            r"jitter = 60: the watchdog may release members that are more "
            r"than \d+ cycles apart; set a smaller jitter, or a greater watchdog in \[network\]",
        ),
    ],
)
def test_bad_input(
    call: Call, here: Any, outcome: dict[str, Any], words: list[str], message: str
) -> None:
    mesh = 'kind = "mesh"\nwidth = 2\nheight = 2\n'
    group = '[[group]]\nid = 1\nmembers = "all"\n'
    (here / "none.toml").write_text(
        f'name = "none"\n[network]\n{mesh}[[group]]\nid = 1\nmembers = [[0, 0]]\n'
    )
    (here / "paper.toml").write_text(
        'name = "paper"\n[network]\nkind = "irregular"\nports = 6\nsetup = "paper"\n'
        "random = { switches = 7, nodes = 16, connectivity = 0.75, seed = 1 }\n" + group
    )
    (here / "watched.toml").write_text(
        f'name = "watched"\n[network]\n{mesh}groups = 1\nwatchdog = 32\n{group}'
    )
    refused(call("soak", *words), message)


def test_the_share_of_a_histogram() -> None:
    latency = Latencies.of({1: 1, 5: 998, 7: 1})
    assert latency == Latencies(1000, 1, 5, 5, 7)
    assert Latencies.of({3: 1}) == Latencies(1, 3, 3, 3, 3)
    assert Latencies.of({}) is None
