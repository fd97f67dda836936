"""Programs in C that are none, and macros, as `cores` compiles them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.campaign import fuzzed, sandbox
from tests.fuzz.holds import stub
from tests.fuzz.mutation import TEXTS, broken_bytes

SOURCE = b"""#include <syncfabric.h>
#ifndef COUNT
#define COUNT 2
#endif
static int table[COUNT];
int main(void) {
    for (int i = 0; i < COUNT; ++i) { table[i] = i; sf_barrier(); }
    return table[0];
}
"""
ODD = [
    *(b"", b"#error \x1b[2J\n", b'#include "p.c"\n', b'#include "folder"\n', b"x" * 100_000),
    *(b"(" * 10_000, b"int main(void) {", b"int main(void) { return sf_nothing(); }\n"),
    b"\xff\xfe",
    *(b"int big[1 << 28]; int main(void) { return big[9]; }\n", b'asm("\\n.incbin \\"none\\"");\n'),
    *(b'#pragma GCC error "\x1b[31m"\nint main(void) { return 0; }\n', b'#line 7 "/etc"\n!\n'),
]
MACROS = [
    *("COUNT=3", "COUNT=-1", "COUNT=1 << 40", "COUNT", "main=", "int=long", "COUNT=\n}"),
    "F(a, b)=a",
    *("SF_BARRIER=9", "=1", "-c", "A B=1", "A=" + "9" * 5000, "A=\x1b[2J", "é=1", "__LINE__=1"),
]
SAYABLE = [text for text in TEXTS if "\0" not in text]
"""What can be an argument of a process."""


@pytest.fixture(autouse=True, scope="module")
def _no_system() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        stub(patch, "syncfabric.sim.cores.run.build_system")
        yield


@fuzzed(0.3)
@given(
    st.one_of(broken_bytes(SOURCE), st.sampled_from(ODD)),
    st.lists(st.one_of(st.sampled_from(MACROS), st.sampled_from(SAYABLE)), max_size=2),
    st.sampled_from(["mesh-2x2", "reflex-2x2", "cluster-fig1", "wires-4x4"]),
    st.sampled_from([[], ["--barrier", "central"], ["--cores", "2"], ["--memory", "1"]]),
)
def test_a_program(text: bytes, macros: list[str], network: str, options: list[str]) -> None:
    words = ["cores", "p.c", "--network", network, *options]
    for macro in macros:
        words += ["--define", macro]
    with sandbox() as box:
        (box.here / "p.c").write_bytes(text)
        box.call(words)
