"""Work that is done to its end, on small networks, with odd numbers."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncfabric.models.collectives.collective import KINDS
from tests.fuzz.campaign import fuzzed, sandbox

SEEDS = ["0", "1", "-1", "2147483647", "2147483648", "4294967295", "99999999999999999999"]
TOPOLOGIES = [
    *("ring-3", "star-2", "mesh-2x1", "mesh-2x2", "coated-mesh-2x2", "fat-tree-2x2", "octagon-8"),
    *("hypercube-2", "k-ring-4", "amp-5", "twisted-ladder-6"),
]
NETWORKS = [
    *("mesh-2x2", "row-1x8", "reflex-2x2", "twins", "churn-mesh", "wires-cluster", "wires-4x4"),
]


@pytest.fixture(autouse=True, scope="module")
def _no_verilog() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("syncfabric.sim.products.network_verilog", lambda *_: "module m; endmodule\n")
        yield


def _options(**values: list[str]) -> st.SearchStrategy[list[str]]:
    """Draw some of these options, with one of their values each; an empty one is a flag."""
    drawn = st.fixed_dictionaries({}, optional={k: st.sampled_from(v) for k, v in values.items()})
    return drawn.map(
        lambda chosen: [
            word
            for name, value in chosen.items()
            for word in (f"--{name.replace('_', '-')}", value)
            if word
        ]
    )


@fuzzed(2)
@given(
    st.sampled_from(TOPOLOGIES),
    st.sampled_from(KINDS),
    _options(
        ports=["1", "2", "9", "999999999", "all"],
        switching=["wormhole", "store-and-forward"],
        one_port=["strict"],
        nonminimal=["1", "2", "5"],
        permutation=["transpose", "bit-reverse", "shuffle"],
        senders=["0", "0,1", "1-2", "0-3", "7"],
        receivers=["0", "0,1", "1-2", "0-3", "7"],
        method=["exact", "mboa", "auto"],
        steps=["0", "1", "2", "5", "40"],
        seed=SEEDS,
        ts=["0", "1e12", "1e-300"],
        bytes=["0", "0.5", "1e12"],
        json=[""],
        output=["new.json", "escape.json", "dangling", "empty"],
        draw=["new.svg", "escape.svg"],
    ),
)
def test_a_search(topology: str, kind: str, options: list[str]) -> None:
    with sandbox() as box:
        words = ["schedule", topology, kind, "--time-limit", "0.05", *options]
        box.call(words, differs=True, late=True)


@fuzzed(0.5)
@given(
    st.sampled_from(NETWORKS),
    _options(
        episodes=["1", "2", "3"],
        seed=SEEDS,
        background=["0", "1e-9", "0.3", "1", "1e-300"],
        jitter=["0", "1", "40"],
        churn=["0", "1", "2"],
        log=["log.csv", "escape.csv", "folder/a.csv"],
        heat=["heat.svg", "escape.svg"],
        output=["out", "folder", "way"],
        waves=[""],
        json=[""],
    ),
)
def test_a_run(network: str, options: list[str]) -> None:
    words: list[Any] = ["run", network, "--sim", "model", *options]
    if "--episodes" not in words:
        words += ["--episodes", "2"]
    with sandbox() as box:
        box.call(words, differs=True)
