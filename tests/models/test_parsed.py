"""JSON and TOML to values, and where an error is."""

from fractions import Fraction
from typing import Any

import pytest
from pydantic import TypeAdapter

from syncfabric.models.errors import SpecError
from syncfabric.models.parsed import MOST, Rational, parse_json, parse_toml, validated, written

NUMBER = TypeAdapter(Rational)


@pytest.mark.parametrize(
    ("value", "fraction", "shown"),
    [
        (3, Fraction(3), 3),
        (0.1, Fraction(1, 10), 0.1),
        ("47/3", Fraction(47, 3), "47/3"),
        ("2/8", Fraction(1, 4), 0.25),
        (MOST, Fraction(MOST), MOST),
    ],
)
def test_numbers_are_as_written(value: Any, fraction: Fraction, shown: Any) -> None:
    assert NUMBER.validate_python(value) == fraction
    assert written(fraction) == shown
    assert NUMBER.validate_python(shown) == fraction


@pytest.mark.parametrize("value", ["1/0", "-1", "0.5", True, 2 * MOST, None, "1" * 41])
def test_what_is_no_number(value: Any) -> None:
    with pytest.raises(SpecError, match=r"^costs: it must be a number up to 1e12, or a text"):
        validated(NUMBER, value, "costs")


def test_the_first_wrong_place_is_named() -> None:
    shape = TypeAdapter(dict[str, list[int]])
    with pytest.raises(SpecError, match=r"^plan: a\[1\]: input should be a valid integer"):
        validated(shape, {"a": [1, "x"], "b": "y"}, "plan")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1,\n  b}', r"^line 2, column 3: not JSON: "),
        ("[" * 100_000, "^it is nested too deep$"),
        ("1" * 5_000, "^a number in it has too many digits$"),
    ],
)
def test_what_is_no_json(text: str, message: str) -> None:
    assert parse_json('{"a": [1]}') == {"a": [1]}
    with pytest.raises(SpecError, match=message):
        parse_json(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = 1\nb = ?\n", r"^line 2, column 5: not TOML: invalid value$"),
        ("a = [1,", r"^line 1, column 8: not TOML: "),
        ("a = " + "1" * 5_000, "^a number or a date in it is out of range$"),
    ],
)
def test_what_is_no_toml(text: str, message: str) -> None:
    assert parse_toml("a = 1") == {"a": 1}
    with pytest.raises(SpecError, match=message):
        parse_toml(text)
