"""Groups and networks of two and three routers that tests explore."""

from dataclasses import replace

from tests.models.verify.scenario import Group, Scenario

TWO = Group({0: 0, 1: 0}, (0, 1))
"""Both of two routers, the root at router 0."""
BACK = Group({0: 1, 1: 1}, (0, 1))
"""The same, the root at router 1."""
TWICE = replace(TWO, barriers=2)
ROW = Group({0: 0, 1: 0, 2: 1}, (0, 1, 2))
"""Three routers in a row, the root at an end."""
MIDDLE = Group({0: 1, 1: 1, 2: 1}, (0, 2))
"""The root in the middle, which is no member."""
STAR = Group({0: 0, 1: 0, 2: 0}, (0, 1, 2))
RING = Group({0: 2, 1: 0, 2: 2}, (0, 1, 2))
"""With STAR the three sides of a triangle."""
PAIR = Group({1: 2, 2: 2}, (1, 2))


def killed(group: Group) -> Group:
    """Return a group that its manager may kill at any moment."""
    return replace(group, kill=True)


def one_after_the_other(*groups: Group) -> Scenario:
    """Return what one manager does with groups at the same entries."""
    routers = 1 + max(router for group in groups for router in group.tree)
    return Scenario(routers, groups, (tuple(range(len(groups))),))


def side_by_side(*scripts: tuple[Group, ...]) -> Scenario:
    """Return what managers do at the same time, each in its share of one entry."""
    groups: list[Group] = []
    managers: list[tuple[int, ...]] = []
    for entry, script in enumerate(scripts):
        managers.append(tuple(range(len(groups), len(groups) + len(script))))
        groups += [replace(group, entries=dict.fromkeys(group.tree, entry)) for group in script]
    routers = 1 + max(router for group in groups for router in group.tree)
    return Scenario(routers, tuple(groups), tuple(managers), len(scripts))


REUSED = one_after_the_other(killed(TWO), BACK)
CHAIN = one_after_the_other(killed(ROW), MIDDLE)
BOTH = one_after_the_other(killed(ROW), killed(MIDDLE))
TRIANGLE = one_after_the_other(killed(STAR), killed(RING), PAIR)
