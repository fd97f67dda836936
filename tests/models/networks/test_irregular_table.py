"""Routing tables from a file: rows, and what is refused."""

import re
from pathlib import Path

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.irregular_table import read_routes
from tests.models.networks.irregulars import chain

HEAD = "switch,destination,port\n"


ROWS = "0,1,0\n0,2,0\n1,0,0\n1,2,1\n2,0,0\n2,1,0\n"


TABLES = ((-1, 0, 0), (0, -1, 1), (0, 0, -1))


def read_csv(folder: Path, text: str) -> tuple[tuple[int, ...], ...]:
    (folder / "r.csv").write_bytes(text.encode())
    return read_routes(folder, "r.csv", chain().topology)


@pytest.mark.parametrize(
    "text",
    [
        HEAD + ROWS,
        "\ufeff" + HEAD + ROWS,
        " switch , destination,port\r\n\r\n" + ROWS.replace(",", " , ").replace("\n", "\r\n"),
        HEAD + "".join(reversed(ROWS.splitlines(keepends=True))),
    ],
)
def test_rows_come_in_any_order_and_with_any_line_ends(tmp_path: Path, text: str) -> None:
    assert read_csv(tmp_path, text) == TABLES


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ': its first line must be switch,destination,port, not ""'),
        (ROWS, ': its first line must be switch,destination,port, not "0,1,0"'),
        (HEAD + "0,1\n", ', line 2: "0,1" is not switch,destination,port'),
        (HEAD + "0,1,x\n", ', line 2: port must be 0..3, not "x"'),
        (HEAD + "0,1,-1\n", ', line 2: port must be 0..3, not "-1"'),
        (HEAD + "0,1,4\n", ', line 2: port must be 0..3, not "4"'),
        (HEAD + "0,3,1\n", ', line 2: destination must be 0..2, not "3"'),
        (HEAD + "1000000000000,0,1\n", ', line 2: switch must be 0..2, not "1000000000000"'),
        (HEAD + "0,1,1\n2,2,0\n", ", line 3: switch 2 needs no row to itself; remove it"),
        (HEAD + ROWS + ROWS, ", line 8: switch 0, destination 1 has a row already; keep one"),
        (
            HEAD + ROWS.replace("1,2,1\n", ""),
            ": no row for switch 1, destination 2; every switch needs one for each other switch",
        ),
        (
            HEAD + ROWS[:12],
            ": no row for switch 1, destination 0 (nor for 3 other pairs); every switch needs one "
            "for each other switch",
        ),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SpecError, match=f"^{re.escape('network: tables r.csv' + message)}$"):
        read_csv(tmp_path, text)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"^network: tables r.csv does not exist; "):
        read_routes(tmp_path, "r.csv", chain().topology)
