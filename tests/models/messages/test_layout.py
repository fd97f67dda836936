"""Words packed from fields and taken apart again, by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncfabric.models.errors import SpecError
from syncfabric.models.messages.layout import Field, Layout

LAYOUT = Layout("demo word", (Field("low", 3, ""), Field("flag", 1, ""), Field("high", 4, "")))


def test_the_first_field_is_the_lowest() -> None:
    assert LAYOUT.offsets == {"low": 0, "flag": 3, "high": 4}
    assert LAYOUT.width == 8
    assert LAYOUT.pack({"low": 5, "flag": 1, "high": 10}) == 0b1010_1_101


def test_fields_left_out_are_0() -> None:
    assert LAYOUT.pack({}) == 0
    assert LAYOUT.pack({"high": 15}) == 0b1111_0_000


def test_a_field_of_no_bits_holds_0_alone() -> None:
    layout = Layout("thin word", (Field("none", 0, ""), Field("one", 1, "")))
    assert layout.pack({"none": 0, "one": 1}) == 1
    assert layout.unpack(1) == {"none": 0, "one": 1}
    with pytest.raises(SpecError, match=r"^thin word field none holds 0\.\.0, not 1$"):
        layout.pack({"none": 1})


def test_bits_above_the_layout_are_not_looked_at() -> None:
    assert LAYOUT.unpack(0x100 | 0b0110_0_001) == {"low": 1, "flag": 0, "high": 6}


@given(st.integers(0, 255))
def test_every_word_comes_back(word: int) -> None:
    assert LAYOUT.pack(LAYOUT.unpack(word)) == word


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"low": 8}, r"^demo word field low holds 0\.\.7, not 8$"),
        ({"flag": -1}, r"^demo word field flag holds 0\.\.1, not -1$"),
        ({"low": 1, "lwo": 1}, r"^demo word has no field 'lwo'$"),
    ],
)
def test_what_does_not_fit_is_refused(values: dict[str, int], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        LAYOUT.pack(values)
