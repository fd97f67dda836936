"""Options and fixtures that every test may use."""

import dataclasses
import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import Phase, settings

from syncfabric.sim import simulators
from syncfabric.sim.simulators.verilator import Verilator
from tests.browser import browser

__all__ = ["browser"]

SIMULATORS = ("verilator", "icarus")
ROOT = Path(__file__).parent
SLOW_FIRST = {"sim": 0, "rtl": 1}
OPTIMISATION = pytest.StashKey[str]()

if "SYNCFABRIC_MUTANT" in os.environ:  # that a test goes red is all; no example is made small
    settings.register_profile("mutant", phases=[Phase.explicit, Phase.generate])
    settings.load_profile("mutant")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--without icarus`` and the like, for machines that cannot have it."""
    parser.addoption(
        "--without",
        action="append",
        choices=["icarus", "chromium"],
        default=[],
        help="leave out the tests that need this simulator or browser",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that takes ``simulator`` under every simulator, as the name of it.

    Under one that a mark ``nightly_under`` names it is nightly.
    """
    if "simulator" in metafunc.fixturenames:
        without = metafunc.config.getoption("--without")
        slow = metafunc.definition.get_closest_marker("nightly_under")
        names = slow.args if slow else ()
        metafunc.parametrize(
            "simulator",
            [
                pytest.param(name, marks=[pytest.mark.nightly] if name in names else [])
                for name in SIMULATORS
                if name not in without
            ],
        )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is marked with a name given to ``--without``.

    What takes longest, whole networks and hardware, comes first: so no core is idle at the end.
    """
    items.sort(key=lambda item: SLOW_FIRST.get(item.path.relative_to(ROOT).parts[0], 2))
    without = config.getoption("--without")
    left_out = [item for item in items if any(item.get_closest_marker(name) for name in without)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def pytest_sessionstart() -> None:
    """Search for no garbage while tests are collected: there is next to none."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Leave what was collected, twenty thousand tests, out of searches, which are rare from here.

    Most of what tests make, designs and plans, is gone before it would be looked at.
    """
    gc.freeze()
    gc.set_threshold(500_000, 10, 10)
    gc.enable()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Choose how simulators are compiled: most that are not nightly run for less time than that."""
    nightly = any(map(item.get_closest_marker, ("nightly", "campaign")))
    item.config.stash[OPTIMISATION] = "-O1" if nightly else "-O0"


@pytest.fixture(autouse=True, scope="session")
def _compiled_with_little_optimisation(pytestconfig: pytest.Config) -> Iterator[None]:
    """Let the simulators of tests be compiled in less time, and Verilator's library once."""
    patch, find = pytest.MonkeyPatch(), Verilator.find

    def quick() -> Verilator:
        level = pytestconfig.stash[OPTIMISATION]
        return dataclasses.replace(find(), opt_fast=level, opt_library=level)

    patch.setattr(Verilator, "find", quick)
    patch.setitem(simulators.SIMULATORS, "verilator", quick)
    yield
    patch.undo()


@pytest.fixture(autouse=True, scope="session")
def _repository_importable_in_benches() -> Iterator[None]:
    """Let a simulator import ``tests.…``: benches lie beside the tests that start them."""
    root = str(Path(__file__).parents[1])
    patch = pytest.MonkeyPatch()
    patch.syspath_prepend(root)
    yield
    patch.undo()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the functional coverage that tests measured, and its holes."""
    told = [
        text
        for outcome in ("passed", "failed")
        for report in terminalreporter.getreports(outcome)
        for name, text in report.user_properties
        if name == "coverage" and report.when == "call"
    ]
    if told:
        terminalreporter.section("functional coverage")
        for text in sorted(told):
            terminalreporter.line(text)
