"""Inputs of reports, and what a page is made of."""

import json
from html.parser import HTMLParser
from pathlib import Path

from syncfabric import Network
from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.exact.constructions import construct
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.schedule import Schedule, Transfer
from syncfabric.models.collectives.task import Rules, Task

HOSTILE = "</script><script>document.title='broken into'</script><img src=x onerror=alert(1)>"
"""What would run if it were not escaped."""
HEADS = "claim,paper,ours,ratio,verdict,by_formula"
"""Of an experiment's table."""
VOID = {"meta", "link", "img", "input", "br"}


class Parsed(HTMLParser):
    """A page, as far as tests look at it.

    Attributes
    ----------
    tags : list of (str, dict)
        Every element's name and attributes.
    text : str
        All text outside of styles and scripts.
    wrong : list of str
        Elements that are not closed in order.
    """

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text, self.wrong = "", list[str]()
        self._open: list[str] = []
        self.feed(page)
        self.close()
        self.wrong += self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.wrong.append(f"/{tag}")

    def handle_data(self, data: str) -> None:
        if self._open[-1:] not in (["style"], ["script"]):
            self.text += data

    def values(self, *names: str) -> list[str]:
        """Return every value of attributes of these names."""
        return [
            attributes[name] for _, attributes in self.tags for name in names if name in attributes
        ]


def parsed(file: Path) -> Parsed:
    """Read a page."""
    return Parsed(file.read_text(encoding="utf-8"))


def network_file(folder: Path) -> Path:
    """Write a network of two groups."""
    file = folder / "little.toml"
    file.write_text(
        """
        name = "little"
        [network]
        kind = "mesh"
        width = 3
        height = 2
        [[group]]
        id = 1
        members = "all"
        [[group]]
        id = 2
        members = [[0, 0], [2, 0], [2, 1]]
        """
    )
    return file


def schedule() -> Schedule:
    """Return a schedule of a complete exchange."""
    topology = named("hypercube-8")
    task = Task(topology, collective("AAS", topology), Rules())
    steps = construct(task, 4)
    assert steps is not None
    return Schedule(topology, task.collective, task.rules, steps)


def scatter() -> Schedule:
    """Return a schedule of a scatter that leaves most channels idle."""
    topology = named("hypercube-4")
    paths = ((0, 1), (0, 2), (0, 1, 3))
    steps = tuple((Transfer((0, path[-1]), path),) for path in paths)
    return Schedule(topology, collective("OAS", topology), Rules(), steps)


def schedule_file(folder: Path, made: Schedule | None = None) -> Path:
    """Write a schedule; by default of a complete exchange."""
    file = folder / "schedule.json"
    file.write_text(json.dumps((made or schedule()).to_json()))
    return file


def result_file(folder: Path) -> Path:
    """Write what a run printed."""
    file = folder / "result.json"
    result = Network.load("mesh-2x2").run(sim="model", episodes=3)
    file.write_text(json.dumps(result.to_json()))
    return file


def figures(folder: Path, name: str = "curves", label: str = "height, ours") -> Path:
    """Write a folder as ``reproduce -o`` does: one experiment with curves, one with a picture."""
    made = folder / "figures"
    made.mkdir()
    (made / f"{name}.csv").write_text(
        f"{HEADS}\n"
        f'"{label}",10,9,0.9,holds,\nbetween,2,2.5,1.25,partly,yes\n'
        "nothing to compare,,1000,,,\nin words,yes,no,,does not hold,\n"
    )
    (made / f"{name}-series.csv").write_text(
        f'series,x,y\n"{label}",1,10\n"{label}",2,20\n"{label}",3,15\n"other",1,5\n"other",3,7.5\n'
    )
    (made / "picture.csv").write_text(f"{HEADS}\nsteps,4,4,1.0,holds,\n")
    (made / "picture.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="alert(1)"/>'
    )
    return made
