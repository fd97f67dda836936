"""Results that are kept on disk."""

from pathlib import Path

import pytest

from syncfabric.models.errors import OutputError
from syncfabric.sim.experiments import kept
from syncfabric.sim.experiments.kept import Kept, key_of
from tests.sim.experiments import jobs


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a cache of its own."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("SYNCFABRIC_CACHE", str(folder))
    return folder


def keep(**results: str) -> Path:
    store = Kept(jobs.square)
    for key, text in results.items():
        store.add(key, text)
    store.close()
    return store.path


def test_what_is_kept_is_there_again(cache: Path) -> None:
    path = keep(a="1", b='{"x": [1.5, "y z"]}')
    assert path.parent == cache / "results"
    assert Kept(jobs.square).results == {"a": "1", "b": '{"x": [1.5, "y z"]}'}


def test_functions_and_arguments_are_told_apart() -> None:
    keep(a="1")
    assert Kept(jobs.pair).results == {}
    keys = {key_of(job) for job in ((1, 2), (1, "2"), (12,), (1, [2]), (1, 2.0), (2, 1))}
    assert len(keys) == 6
    assert key_of(((1, 2),)) == key_of(([1, 2],))


def test_other_sources_have_other_results(monkeypatch: pytest.MonkeyPatch) -> None:
    keep(a="1")
    monkeypatch.setattr(kept, "sources", lambda: "changed")
    assert Kept(jobs.square).results == {}


def test_sources_are_those_of_every_floor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = kept.sources()
    files = {"models": "a.py", "rtl": "b.py", "sim": "deep/c.v"}
    for name, file in files.items():
        (tmp_path / name / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name / file).write_text("1")
    monkeypatch.setattr(kept, "files", lambda package: tmp_path / package.rpartition(".")[2])
    seen = {before, kept.sources.__wrapped__()}
    for name, file in files.items():
        (tmp_path / name / file).write_text("2")
        seen.add(kept.sources.__wrapped__())
    monkeypatch.setattr(kept, "version", lambda library: "another")
    seen.add(kept.sources.__wrapped__())
    assert len(seen) == 6


@pytest.mark.parametrize("cut", range(2, 18, 3))
def test_a_line_cut_short_is_as_if_it_were_not_there(cut: int) -> None:
    path = keep(a="1", b="[2, 3]")
    path.write_bytes(path.read_bytes()[:-cut])
    assert Kept(jobs.square).results == {"a": "1"}
    keep(c="4")
    assert Kept(jobs.square).results == {"a": "1", "c": "4"}


@pytest.mark.parametrize("place", [1, 5, 10, 11, 12])
def test_a_damaged_line_is_as_if_it_were_not_there(place: int) -> None:
    path = keep(a="1", b="2")
    data = bytearray(path.read_bytes())
    data[place] ^= 0x04
    path.write_bytes(data)
    assert Kept(jobs.square).results == {"b": "2"}


def test_what_is_no_text_at_all_is_as_if_it_were_not_there() -> None:
    path = keep(a="1")
    path.write_bytes(path.read_bytes() + b"\xff\xfe\x00 \n" * 100 + b"\xff")
    assert Kept(jobs.square).results == {"a": "1"}
    keep(b="2")
    assert Kept(jobs.square).results == {"a": "1", "b": "2"}


def test_fresh_leaves_aside_what_is_there_and_new_results_take_its_place() -> None:
    keep(a="1", b="2")
    store = Kept(jobs.square, fresh=True)
    assert store.results == {}
    store.add("a", "7")
    store.close()
    assert Kept(jobs.square).results == {"a": "7", "b": "2"}


def test_two_at_once_do_not_harm_each_other() -> None:
    one, two = Kept(jobs.square), Kept(jobs.square)
    for number in range(10):
        one.add(f"a{number}", "1")
        two.add(f"b{number}", "2")
    assert len(Kept(jobs.square).results) == 20


def test_old_files_go_when_there_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    old = keep(a="1")
    monkeypatch.setattr(kept, "sources", lambda: "changed")
    monkeypatch.setattr(kept, "LIMIT_BYTES", 0)
    new = keep(a="1")
    assert not old.exists()
    assert new.exists()


def test_a_cache_that_cannot_be_used_is_one_line(cache: Path) -> None:
    cache.write_text("")
    store = Kept(jobs.square, fresh=True)
    with pytest.raises(OutputError, match=r"cache folder .* cannot be used: .*; set SYNCFABRIC_"):
        store.add("a", "1")
