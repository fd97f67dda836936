"""The cache of builds."""

import os
import threading
from pathlib import Path

import pytest

from syncfabric.models.cache import cache_folder, fingerprint
from syncfabric.models.errors import OutputError, ToolError
from syncfabric.sim.simulators.cache import Cache, cache_use, clear_cache


def _fill(scratch: Path, result: Path) -> None:
    (result / "program").write_bytes(b"x" * 1000)


def test_made_once(tmp_path: Path) -> None:
    cache, made = Cache(tmp_path), []

    def make(scratch: Path, result: Path) -> None:
        made.append(result)
        _fill(scratch, result)

    assert [cache.get("ab", make)[1] for _ in range(3)] == [False, True, True]
    assert len(made) == 1


def test_made_once_by_many_at_a_time(tmp_path: Path) -> None:
    made, folders = [], []

    def make(scratch: Path, result: Path) -> None:
        made.append(result)
        _fill(scratch, result)

    def get() -> None:
        folders.append(Cache(tmp_path).get("ab", make)[0])

    threads = [threading.Thread(target=get) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert folders == [tmp_path / "builds" / "ab"] * 8


def test_failed_build_leaves_nothing(tmp_path: Path) -> None:
    def make(scratch: Path, result: Path) -> None:
        _fill(scratch, result)
        raise ToolError("no")

    with pytest.raises(ToolError, match=r"^no$"):
        Cache(tmp_path).get("ab", make)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["builds", "locks"]
    assert Cache(tmp_path).get("ab", _fill)[1] is False


def test_longest_unused_goes_first_and_young_stays(tmp_path: Path) -> None:
    cache = Cache(tmp_path, limit_bytes=2500)
    for age, key in ((9, "c9"), (8, "b8"), (7, "a7")):
        entry, _ = cache.get(key, _fill)
        os.utime(entry, (0, 3600 * (10 - age)))
    cache.get("young1", _fill)
    cache.get("young2", _fill)
    cache.get("young3", _fill)
    assert sorted(path.name for path in (tmp_path / "builds").iterdir()) == [
        "young1",
        "young2",
        "young3",
    ]


def test_builds_that_end_meanwhile_are_passed_over(tmp_path: Path) -> None:
    # As if its folder went between the list and the look: nothing is where it leads.
    (tmp_path / "new-gone").symlink_to(tmp_path / "nowhere")
    assert Cache(tmp_path).get("ab", _fill)[1] is False


def test_fingerprint_follows_contents_names_and_settings(tmp_path: Path) -> None:
    here, there = tmp_path / "a.v", tmp_path / "sub" / "a.v"
    there.parent.mkdir()
    here.write_text("module a; endmodule")
    there.write_text("module a; endmodule")
    key = fingerprint({"flags": ["-O3"]}, [here])
    assert fingerprint({"flags": ["-O3"]}, [there]) == key
    assert fingerprint({"flags": ["-O2"]}, [here]) != key
    there.write_text("module b; endmodule")
    assert fingerprint({"flags": ["-O3"]}, [there]) != key


def test_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("SYNCFABRIC_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "syncfabric"
    monkeypatch.setenv("SYNCFABRIC_CACHE", str(tmp_path / "own"))
    assert cache_folder() == tmp_path / "own"


def test_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    message = (
        r"^cache folder .*/file/cache cannot be used: Not a directory; "
        r"set SYNCFABRIC_CACHE to a folder that can be written$"
    )
    with pytest.raises(OutputError, match=message):
        Cache(tmp_path / "file" / "cache").get("ab", _fill)


def _kept(root: Path) -> None:
    Cache(root).get("ab", _fill)
    Cache(root / "verilog").get("cd", _fill)
    (root / "results").mkdir()
    (root / "results" / "a.jsonl").write_bytes(b"y" * 10)
    (root / "new-broken").mkdir()


def test_use_and_clear(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNCFABRIC_CACHE", str(tmp_path))
    assert [part.entries for part in cache_use().parts] == [0] * 6
    _kept(tmp_path)
    use = cache_use()
    found = {part.name: (part.entries, part.bytes) for part in use.parts if part.entries}
    assert found == {
        "builds": (1, 1000),
        "verilog": (1, 1000),
        "results": (1, 10),
        "other": (1, 0),
    }
    assert use.bytes == use.to_json()["bytes"] == 2010
    assert clear_cache() == 2010
    assert cache_use().bytes == 0
    assert Cache(tmp_path).get("ab", _fill)[1] is False


def test_clear_waits_for_a_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNCFABRIC_CACHE", str(tmp_path))
    _kept(tmp_path)
    with Cache(tmp_path).locked("ab"):
        cleared = threading.Thread(target=clear_cache)
        cleared.start()
        cleared.join(0.2)
        assert (tmp_path / "builds" / "ab").is_dir()
    cleared.join()
    assert not (tmp_path / "builds" / "ab").is_dir()


def test_clear_waits_for_a_build_that_uses_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNCFABRIC_CACHE", str(tmp_path))
    _kept(tmp_path)

    def make(scratch: Path, result: Path) -> None:
        cleared.start()
        cleared.join(0.2)
        assert Cache(tmp_path / "verilog").get("cd", _fill)[1]
        _fill(scratch, result)

    cleared = threading.Thread(target=clear_cache)
    assert not Cache(tmp_path).get("ef", make)[1]
    cleared.join()
    left = {part.name: part.entries for part in cache_use().parts if part.entries}
    assert left == {"builds": 1, "verilog": 1, "other": 1}  # used since
    assert clear_cache() == 2000
