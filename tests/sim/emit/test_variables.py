"""Names of nets from the source that made them."""

from pathlib import Path

from amaranth.hdl import Signal

from syncfabric.sim.emit.variables import name_signals, variable_at

SOURCE = """\
first = made()
self.second = made(
    deep,
)
one, two = made(), made()
if third := made():
    fourth: int = made()
row = [(inner := made()) for _ in range(2)]
call(made())
"""


def test_a_line_that_gives_one_variable_a_value_has_its_name(tmp_path: Path) -> None:
    file = tmp_path / "part.py"
    file.write_text(SOURCE)
    names = [variable_at(f"{file}:{line}") for line in range(1, 10)]
    assert names == ["first", "second", "second", "second", None, "third", "fourth", "inner", None]
    assert variable_at("") is None
    (tmp_path / "part.txt").write_text(SOURCE)
    assert variable_at(f"{tmp_path / 'part.txt'}:1") is None


def test_signals_of_one_line_are_named_in_their_order() -> None:
    left, right = Signal(), Signal()
    pair, other = (Signal(name="$signal") for _ in range(2))
    kept = Signal(name="kept")
    name_signals([other, kept, pair, right, left])
    assert (left.name, right.name) == ("left", "right")
    assert (pair.name, other.name, kept.name) == ("pair", "other", "kept")
