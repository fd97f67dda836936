"""The style of plots: what stays apart in grey print and to colour-blind readers."""

from collections.abc import Iterable
from itertools import combinations, pairwise

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from numpy.typing import NDArray

from syncfabric.sim.draw.charts import COLOURS
from syncfabric.sim.draw.figures import SCALE
from syncfabric.sim.draw.style import INKS, MARKERS, colours, looks, scale

XYZ = np.array(
    (
        (0.4124564, 0.3575761, 0.1804375),
        (0.2126729, 0.7151522, 0.0721750),
        (0.0193339, 0.1191920, 0.9503041),
    )
)
"""From linear sRGB (IEC 61966-2-1)."""
WHITE = XYZ.sum(axis=1)
EYES = {
    "normal": np.eye(3).tolist(),
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
"""Machado, Oliveira and Fernandes, 2009, at full severity, on linear sRGB."""


def lab(colour: str, eye: object) -> NDArray[np.float64]:
    """Return a colour as CIE L*a*b*, as an eye sees it."""
    srgb = np.array(to_rgb(colour))
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.asarray(eye) @ linear, 0, 1)
    share = XYZ @ seen / WHITE
    x, y, z = np.where(share > 0.008856, np.cbrt(share), 7.787 * share + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("eye", EYES)
def test_colours_differ_to_every_eye(eye: str) -> None:
    seen = [lab(colour, EYES[eye]) for colour in INKS]
    assert min(float(np.linalg.norm(a - b)) for a, b in combinations(seen, 2)) > 15


def test_in_grey_the_first_curves_differ_by_shade_and_all_by_marker() -> None:
    shades = [lab(colour, np.eye(3))[0] for colour in INKS[:3]]
    assert min(abs(a - b) for a, b in combinations(shades, 2)) > 20
    found = looks(map(str, range(56)))
    assert len({(look.colour, look.marker) for look in found.values()}) == 56
    assert all(a.marker != b.marker for a, b in pairwise(found.values()))
    assert len(set(MARKERS)) == len(MARKERS) == len(INKS) + 1


@pytest.mark.parametrize("inks", [COLOURS.values(), SCALE])
def test_areas_differ_in_grey(inks: Iterable[str]) -> None:
    """What cores do, and the load of links, have no markers."""
    shades = [float(lab(colour, EYES["normal"])[0]) for colour in inks]
    assert min(abs(a - b) for a, b in combinations(shades, 2)) > 9


def test_a_name_that_comes_again_has_the_same_look() -> None:
    assert list(looks(["a", "b", "a"])) == ["a", "b"]


@pytest.mark.parametrize("count", [0, 1, 7, 8, 128])
def test_there_are_as_many_colours_as_are_asked_for(count: int) -> None:
    assert len(set(colours(count))) == count


def test_axes_without_points_keep_their_limits() -> None:
    axes = Figure().add_subplot()
    scale(axes, "x", "time, ns")
    assert axes.get_xlim() == (0, 1)
    assert axes.get_xlabel() == "time, ns"


def test_less_than_nothing_is_not_cut_off() -> None:
    axes = Figure().add_subplot()
    axes.plot([1, 2], [-3, 5])
    scale(axes, "y", "change, ns")
    assert axes.get_ylim()[0] == -3
