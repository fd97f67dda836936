"""Pages: whole, well formed, escaped; and inputs that are refused."""

import base64
import json
import re
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from syncfabric import Network
from syncfabric.models.errors import SyncfabricError
from syncfabric.sim.report.blocks import Drawing, Table
from syncfabric.sim.report.sections import result_section, source_words
from syncfabric.sim.report.write import write_report
from syncfabric.sim.request import RunRequest
from syncfabric.sim.results import ChannelLoad
from tests.sim.report.made import HEADS, HOSTILE, figures, parsed, result_file, schedule_file


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a page of every kind of input."""
    folder = tmp_path_factory.mktemp("page")
    sources: list[str | Path] = ["mesh-2x2"]
    sources += [result_file(folder), schedule_file(folder), figures(folder)]
    file = folder / "page.html"
    asked = RunRequest("model", episodes=3)
    results = write_report(sources, file, title="All kinds", asked=asked)
    assert [result.network for result in results] == ["mesh-2x2"]
    assert sorted(each.name for each in folder.iterdir()) == sorted(
        ["page.html", "result.json", "schedule.json", "figures"]
    )
    return file


def test_it_is_well_formed_and_its_ids_are_its_own(page: Path) -> None:
    found = parsed(page)
    assert found.wrong == []
    ids = found.values("id")
    assert len(ids) > 50
    assert len(ids) == len(set(ids))
    text = page.read_text()
    named = {*re.findall(r"url\(#([^)]+)\)", text)}
    named |= {value[1:] for value in found.values("href", "xlink:href") if value[:1] == "#"}
    assert named
    assert named <= set(ids)


def test_it_loads_nothing(page: Path) -> None:
    found = parsed(page)
    places = found.values("src", "href", "xlink:href", "action", "poster", "srcset", "data")
    assert {re.match(r"#|data:", place) is not None for place in places} == {True}
    text = page.read_text()
    assert set(re.findall(r"url\((.)", text)) <= {"#"}
    assert not re.search(r"@import|fetch\(|XMLHttpRequest|import\(", text)
    # Names of XML's own and nothing else.
    assert {*re.findall(r"https?://[^\s\"'<)]+", text)} <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }


def test_only_its_own_script_may_run(page: Path) -> None:
    found = parsed(page)
    (policy,) = (
        attributes["content"]
        for tag, attributes in found.tags
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none'; ")
    (script,) = re.findall(r"<script>(.*?)</script>", page.read_text(), re.DOTALL)
    digest = base64.b64encode(sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert "unsafe" not in policy.partition("script-src")[2]


def test_it_shows_what_there_is(page: Path) -> None:
    text = " ".join(parsed(page).text.split())
    result = Network.load("mesh-2x2").run(sim="model", episodes=3)
    latency = result.groups[0].latency
    assert latency is not None
    for words in (
        "All kinds",
        "2x2 mesh",
        f"{latency.min} / {latency.median:g} / {latency.max}",
        "alltoall on hypercube-8",
        "4 steps, 56 messages, 56 of 56 served",
        "at least 4 steps",
        "0.9",
        "nothing to compare",
    ):
        assert words in text, words
    assert "optimal" in text
    animations = [json.loads(data) for data in _data(page) if data.startswith("{")]
    assert [animation["unit"] for animation in animations] == ["cycle", "step"]
    curves = json.loads([data for data in _data(page) if data.startswith("[")][-1])
    hovered = [point[2] for point in curves]
    assert "height\nx: 2\ny: 20" in hovered
    assert len(hovered) == 5


def _data(page: Path) -> list[str]:
    pattern = r'<script type="application/json">(.*?)</script>'
    return re.findall(pattern, page.read_text(), re.DOTALL)


def test_what_users_wrote_stays_text(tmp_path: Path) -> None:
    values = json.loads(schedule_file(tmp_path).read_text())
    values["topology"]["name"] = HOSTILE + r" $\frac{$ "
    (tmp_path / "schedule.json").write_text(json.dumps(values))
    result = json.loads(result_file(tmp_path).read_text())
    result |= {
        "network": HOSTILE,
        "reason": HOSTILE + "\ud800",
        "repeat": HOSTILE,
        "verdict": "hang",
    }
    wrong = {"cycle": 1, "node": None, "signal": HOSTILE, "hardware": HOSTILE, "model": 3}
    (tmp_path / "result.json").write_text(json.dumps({**result, "mismatches": [wrong]}))
    label = HOSTILE + r" $\frac{$"
    folder = figures(tmp_path, name="<i>x$", label=label)
    sources = [tmp_path / "schedule.json", tmp_path / "result.json", folder]
    write_report(sources, tmp_path / "page.html", title=HOSTILE)
    found = parsed(tmp_path / "page.html")
    assert found.wrong == []
    # The one script, and data; pictures of the user's as data, which run nothing.
    scripts = [attributes for tag, attributes in found.tags if tag == "script"]
    assert [each for each in scripts if each != {"type": "application/json"}] == [{}]
    images = [attributes["src"] for tag, attributes in found.tags if tag == "img"]
    assert len(images) == 1
    assert images[0].startswith("data:image/svg+xml;base64,")
    assert not [name for _, attributes in found.tags for name in attributes if name[:2] == "on"]
    assert "i" not in {tag for tag, _ in found.tags}
    assert found.text.count(HOSTILE) >= 6
    points = json.loads([data for data in _data(tmp_path / "page.html") if data[0] == "["][-1])
    assert points[0][2].startswith(label)


def test_the_loads_of_a_result_lie_over_its_network() -> None:
    network = Network.load("mesh-2x2")
    loads = (ChannelLoad((0, 0), "east", 0.25), ChannelLoad((1, 0), "west", 0.5))
    result = replace(network.run(sim="model", episodes=1), loads=loads)
    sections = (result_section("r.json", result, "p", given) for given in ([], [network]))
    alone, both = (section.blocks for section in sections)
    assert [block.title for block in alone if isinstance(block, Table)][-1] == "Loads of channels"
    assert len(both) == len(alone) + 1
    (drawn,) = (block for block in both if isinstance(block, Drawing) and block.title == "Loads")
    assert 'aria-label="mesh-2x2: load of every channel"' in drawn.svg
    other = network_of_another_name()
    assert len(result_section("r.json", result, "p", [other]).blocks) == len(alone)


def network_of_another_name() -> Network:
    spec = Network.load("mesh-2x2").spec
    return Network(spec.model_copy(update={"name": "other"}))


def test_a_network_too_large_to_animate_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("syncfabric.sim.report.sections.MOST_NODES", 3)
    write_report(["mesh-2x2"], tmp_path / "page.html", asked=RunRequest("model", episodes=1))
    found = parsed(tmp_path / "page.html")
    assert "Too large to animate" in found.text
    assert "player" not in found.values("class")


def test_a_network_without_groups_has_nothing_to_play(tmp_path: Path) -> None:
    (tmp_path / "bare.toml").write_text(
        'name = "bare"\n[network]\nkind = "mesh"\nwidth = 2\nheight = 2\n'
    )
    write_report([tmp_path / "bare.toml"], tmp_path / "page.html")
    found = parsed(tmp_path / "page.html")
    assert "No groups" in found.text
    assert found.wrong == []


RESULT = {"verdict": "match", "network": "x"}


def _csv(text: str, series: str = "") -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        made = folder / "figs"
        made.mkdir()
        (made / "a.csv").write_text(text)
        if series:
            (made / "a-series.csv").write_text(series)
        return made

    return write


def _json(values: Any) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        (folder / "x.json").write_text(values if isinstance(values, str) else json.dumps(values))
        return folder / "x.json"

    return write


REFUSED: dict[str, tuple[Callable[[Path], Path | str], str]] = {
    "no such network": (lambda _: "nowhere", '"nowhere" is neither a network file nor a ready'),
    "no such file": (lambda folder: folder / "x.json", "x.json"),
    "no JSON": (_json('{"verdict": '), "x.json: line 1, column 13: not JSON"),
    "too deep": (_json("[" * 200_000), "x.json: it is nested too deep"),
    "neither": (_json({"a": 1}), "x.json: neither a schedule, whose"),
    "an array": (_json([]), "x.json: neither a schedule"),
    "a malformed result": (_json(RESULT), "x.json: result: "),
    "a malformed schedule": (_json({"format": "syncfabric-schedule/1"}), "x.json: schedule: "),
    "another format": (_json({"format": "x/2"}), "x.json: schedule: format must be"),
    "an empty folder": (lambda folder: folder, "a folder without NAME.csv"),
    "other heads": (_csv("a,b\n"), f"figs/a.csv: line 1: it must be '{HEADS}'"),
    "an empty table": (_csv(""), "figs/a.csv: line 1: it must be"),
    "a short row": (_csv(HEADS + "\nx,1,2\n"), "figs/a.csv: line 2: 3 values; it must have 6"),
    "no number": (
        _csv(HEADS + "\n", "series,x,y\na,1,2\na,1,high\n"),
        "figs/a-series.csv: line 3: y must be a finite number, not 'high'",
    ),
    "not finite": (
        _csv(HEADS + "\n", "series,x,y\na,inf,2\n"),
        "line 2: x must be a finite number",
    ),
    "a quote that stays open": (_csv(HEADS + '\n"x,1,2,3'), "figs/a.csv: line 2: not CSV"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_malformed_is_refused_before_anything_is_written(case: str, tmp_path: Path) -> None:
    write, words = REFUSED[case]
    folder = tmp_path / "in"
    folder.mkdir()
    source = write(folder)
    with pytest.raises(SyncfabricError) as refused:
        write_report(["mesh-2x2", source], tmp_path / "page.html")
    assert words in str(refused.value)
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize(
    ("sources", "file", "asked", "words"),
    [
        ([], "page.html", RunRequest("model"), "report: name networks, results of `run --json`"),
        (["mesh-2x2"], "page.pdf", RunRequest("model"), "page.pdf: its name must end in .html"),
        (
            ["mesh-2x2"],
            "page.html",
            RunRequest("model", episodes=0),
            "episodes must be 1 or more, not 0",
        ),
        (["mesh-2x2"], "page.html", RunRequest("spice"), "sim must be one of"),
        (
            ["mesh-2x2", "reflex-2x2"],
            "page.html",
            RunRequest("model", background=0.1),
            "background = 0.1",
        ),
    ],
)
def test_what_cannot_be_done_is_refused_before_any_run(
    sources: list[str],
    file: str,
    asked: RunRequest,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Network, "perform", None)
    with pytest.raises(SyncfabricError) as refused:
        write_report(sources, tmp_path / file, asked=asked)
    assert words in str(refused.value)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_the_pages_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "page.html").mkdir()
    with pytest.raises(SyncfabricError, match="is a folder"):
        write_report(["mesh-2x2"], tmp_path / "page.html")


def test_an_animation_names_its_source() -> None:
    """Compared runs show what the hardware did; where it differs, the model's is shown."""
    ran = Network.load("mesh-2x2").run(sim="model", episodes=1)
    result = replace(ran, simulator="verilator", compared=True)
    assert source_words(result) == "as the hardware did it under verilator"
    for other in (replace(result, verdict="mismatch"), replace(result, compared=False), ran):
        assert source_words(other) == "as the golden model does it"
