"""What a file can have that it should not: mutations of values, of text, and of bytes."""

import copy
import json
import math
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

NUMBERS: list[Any] = [
    *(0, 1, -1, 2, 3, 5, 7, 16, 17, 64, 65, 255, 256, 1025, 4097, 65_536),
    *(2**31 - 1, 2**31, -(2**31), 2**32, 2**63 - 1, 2**63, 2**64, -(2**64), 10**9, 10**30, 10**400),
    *(0.5, -0.5, 1.5, 1e-300, 1e308, math.nan, math.inf, -math.inf),
]
TEXTS = [
    *("", " ", "0", "-1", "nan", "all", "none", "a" * 300, "long " * 4000, "../out", "/etc/passwd"),
    *("a\nb", "\x00", "\x1b[31mred", "é", "‮", "😀", "$HOME", "a/b", ".", "..", "{}", "%s%n", "<b>"),
]
DEEP = 2_000
"""Lists in lists: more than Python's own limit of calls in calls."""

Path = list[Any]


def _scalars() -> st.SearchStrategy[Any]:
    return st.one_of(
        st.sampled_from([None, True, False]),
        st.sampled_from(NUMBERS),
        st.sampled_from(TEXTS),
        st.integers(-300, 300),
        st.text(max_size=8),
    )


def _values() -> st.SearchStrategy[Any]:
    return st.one_of(
        _scalars(),
        st.lists(_scalars(), max_size=3),
        st.lists(st.lists(st.integers(-3, 9), max_size=3), max_size=3),
        st.dictionaries(st.sampled_from(["random", "seed", "kind", "a", ""]), _scalars()),
        st.sampled_from([4, 40, DEEP]).map(_nested),
    )


def _nested(depth: int) -> list[Any]:
    made: list[Any] = []
    for _ in range(depth):
        made = [made]
    return made


def _paths(value: Any, here: Path, found: list[Path]) -> list[Path]:
    """List where something is in a tree of values, itself apart."""
    entries: Any = ()
    if isinstance(value, dict):
        entries = value.items()
    elif isinstance(value, list):
        entries = enumerate(value[:12])
    for key, entry in entries:
        found.append([*here, key])
        if len(here) < 6:
            _paths(entry, [*here, key], found)
    return found


@st.composite
def mutated(draw: st.DrawFn, values: Any, most: int = 3) -> Any:
    """Draw a tree of values with one to a few things wrong, or odd, in it."""
    tree = copy.deepcopy(values)
    for _ in range(draw(st.integers(1, most))):
        if not (paths := _paths(tree, [], [])):
            break
        path = draw(st.sampled_from(paths))
        parent = tree
        for key in path[:-1]:
            parent = parent[key]
        _change(draw, parent, path[-1])
    return tree


def _change(draw: st.DrawFn, parent: Any, key: Any) -> None:
    how = draw(st.sampled_from(["drop", "double", "other", "wrap", "shift", "rename", "shuffle"]))
    value = parent[key]
    if how == "drop":
        del parent[key]
    elif how == "double" and isinstance(parent, list):
        parent.insert(key, value)
    elif how in ("double", "rename") and isinstance(parent, dict):
        name = draw(st.one_of(st.sampled_from([f"{key}s", str(key)[:-1], ""]), st.text(max_size=4)))
        parent[name] = value if how == "double" else parent.pop(key)
    elif how == "wrap":
        parent[key] = draw(st.sampled_from([[value], {"value": value}, [value, value]]))
    elif how == "shift" and isinstance(value, int | float):
        parent[key] = draw(_shifts())(value)
    elif how == "shuffle" and isinstance(value, list) and value:
        parent[key] = draw(st.lists(st.sampled_from(value), max_size=len(value) + 1))
    else:
        parent[key] = draw(_values())


def _shifts() -> st.SearchStrategy[Callable[[Any], Any]]:
    return st.sampled_from(
        [lambda v: v + 1, lambda v: v - 1, lambda v: -v, lambda v: v * 1000, float, str, bool]
    )


def as_json(values: Any) -> bytes:
    """Write values as Python's JSON, which has NaN and Infinity, too."""
    return _flat(values, json.dumps).encode()


def as_toml(values: dict[str, Any]) -> bytes:
    """Write values as TOML, all tables in line; what TOML lacks is a text."""
    lines = [f"{_key(key)} = {_flat(value, _toml)}\n" for key, value in values.items()]
    return "".join(lines).encode("utf-8", "surrogatepass")


def _flat(value: Any, write: Callable[[Any], str]) -> str:
    """Write a value without a call for each list in a list."""
    depth = 0
    while isinstance(value, list) and len(value) == 1:
        value, depth = value[0], depth + 1
    if isinstance(value, dict):
        colon, key = (": ", json.dumps) if write is json.dumps else (" = ", _key)
        inner = ", ".join(f"{key(str(k))}{colon}{_flat(v, write)}" for k, v in value.items())
        text = "{" + inner + "}"
    elif isinstance(value, list):
        text = "[" + ", ".join(_flat(v, write) for v in value) + "]"
    else:
        text = write(value)
    return "[" * depth + text + "]" * depth


def _toml(value: Any) -> str:
    if value is None:
        return '"null"'
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else str(value)
    if isinstance(value, bool | int):
        return json.dumps(value)
    return _key(str(value))


def _key(text: str) -> str:
    return '"' + "".join(_letter(c) for c in text) + '"'


def _letter(letter: str) -> str:
    if letter in '"\\':
        return f"\\{letter}"
    return letter if letter.isprintable() else f"\\U{ord(letter):08x}"


INSERTS = [
    *(b"\x00", b"\xff", b"\xef\xbb\xbf", b"\r\n", b"\r", b"\n\n", b"\x1b[2J", b"#", b'"', b"'"),
    *(b"[" * 20_000, b"{" * 20_000, b'{"a":' * 20_000, b"9" * 5_000, b"1e999", b"NaN", b"-", b"="),
    *(b"<a>" * 5_000, b"&x;", b"<![CDATA[", b"]]>", b",", b";", b" " * 5_000, b"0x1"),
    b"\xed\xa0\x80",
]
CODES = ["utf-8-sig", "utf-16", "utf-16-be", "utf-32", "cp037", "utf-7"]


@st.composite
def broken_bytes(draw: st.DrawFn, data: bytes) -> bytes:
    """Draw a file's bytes damaged: cut off, spliced, in another encoding, or any bytes at all."""
    how = draw(st.sampled_from(["cut", "insert", "lose", "repeat", "code", "digits", "any"]))
    start, end = sorted(draw(st.tuples(*[st.integers(0, len(data))] * 2)))
    if how == "cut":
        return data[:start]
    if how == "insert":
        return data[:start] + draw(st.sampled_from(INSERTS)) + data[start:]
    if how == "lose":
        return data[:start] + data[end:]
    if how == "repeat":
        return data[:end] + data[start:]
    if how == "code":
        return data.decode(errors="replace").encode(draw(st.sampled_from(CODES)), "replace")
    if how == "digits":
        return _digits(draw, data)
    return draw(st.binary(max_size=200))


def _digits(draw: st.DrawFn, data: bytes) -> bytes:
    """Put another number in a number's place."""
    places = [i for i, byte in enumerate(data) if chr(byte).isdigit()]
    if not places:
        return data
    place = draw(st.sampled_from(places))
    number = draw(st.sampled_from(NUMBERS))
    return data[:place] + str(number).encode() + data[place + 1 :]
