"""Mistakes in packages that extend Syncfabric: each is an error of one line, which names it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from syncfabric.models import plugins as home
from syncfabric.models.errors import SpecError
from syncfabric.models.networks.families import named
from syncfabric.models.networks.family import Family
from syncfabric.models.plugins import plugins
from syncfabric.models.schemes.comparison import schemes_for
from syncfabric.models.schemes.scheme import Cost, Scheme
from syncfabric.models.timing.loggp import LogGP

END = "; correct or uninstall the package$"


@dataclass
class Point:
    """An entry point."""

    made: Any
    name: str = "odd"
    value: str = "more:odd"
    dist: None = None

    def load(self) -> Any:
        if isinstance(self.made, BaseException):
            raise self.made
        return self.made


@pytest.fixture
def add(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Any], None]]:
    """Return what installs a package."""

    def install(made: Any) -> None:
        plugins.cache_clear()
        monkeypatch.setattr(home, "entry_points", lambda group: [Point(made)])

    yield install
    monkeypatch.undo()
    plugins.cache_clear()


def _graph(_: int) -> Any:
    return 4, 0, [(0, 1), (1, 2), (2, 3)]


def _fails(*_: Any) -> Any:
    raise ZeroDivisionError("by\nzero")


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"graph": _fails}, r": ZeroDivisionError: by zero \(.*test_plugins\.py, line \d+\)"),
        ({"allowed": _fails}, r": ZeroDivisionError: by zero \(.*test_plugins\.py, line \d+\)"),
        ({"graph": lambda: None}, r": TypeError: .* takes 0 positional arguments but 1 was given"),
        ({"graph": lambda _: None}, r": graph must return nodes, switches and links, as \(2, .*"),
        ({"graph": lambda _: (2, 0, [(0, "a")])}, ": graph must return nodes, .*"),
        ({"nodes": lambda _: "4"}, ": nodes must return a whole number"),
        ({"grid": lambda _: 4}, ": grid must return a Grid"),
        ({"places": lambda _: [4]}, ": places must return coordinates of nodes .*"),
    ],
)
def test_a_topology(add: Callable[[Any], None], parts: dict[str, Any], message: str) -> None:
    values: dict[str, Any] = {
        "graph": _graph,
        "size": "4",
        "allowed": lambda _: True,
        "nodes": lambda _: 4,
    }
    add(Family("odd-4", "odd", **(values | parts)))
    with pytest.raises(
        SpecError, match=f'^entry point "odd" in syncfabric.topologies{message}{END}'
    ):
        named("odd-4")


@pytest.mark.parametrize("made", [None, 5, Cost(height="a")])  # type: ignore[arg-type]
def test_a_scheme(add: Callable[[Any], None], made: Any) -> None:
    add(Scheme("odd", "odd", "ours", ("mesh",), LogGP, lambda *_: made))
    (scheme,) = schemes_for("mesh", ["odd"])
    with pytest.raises(
        SpecError, match=rf": it must return a Cost whose fields are numbers.*{END}"
    ):
        scheme.cost(None, [1, 2])


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (7, ": more:odd must be of type Scheme, not int"),
        (Scheme, ": more:odd must be of type Scheme, not type"),
        (SystemExit(0), " cannot be loaded from more:odd: 0"),
    ],
)
def test_an_object_that_is_none(add: Callable[[Any], None], made: Any, message: str) -> None:
    add(made)
    with pytest.raises(SpecError, match=f"{message}{END}"):
        schemes_for("mesh")


def test_a_refusal_of_its_own_is_let_through(add: Callable[[Any], None]) -> None:
    def planner(*_: Any) -> None:
        raise SpecError("too many members")

    add(planner)
    with pytest.raises(SpecError, match=r"^too many members$"):
        plugins("syncfabric.planners", Callable)["odd"](None, None)
