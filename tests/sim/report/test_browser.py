"""A page in a browser: it loads alone, sorts, shows values, and plays."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import ActionChains, Chrome, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

from syncfabric.sim.report.write import write_report
from syncfabric.sim.request import RunRequest
from tests.browser import TIMEOUT
from tests.sim.report.made import HOSTILE, figures, network_file, scatter, schedule_file

pytestmark = pytest.mark.chromium


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the address of a page with animations, tables and a plot, and with hostile words."""
    folder = tmp_path_factory.mktemp("page")
    file = folder / "page.html"
    sources: list[str | Path] = [network_file(folder), schedule_file(folder, scatter())]
    sources.append(figures(folder, label=HOSTILE))
    write_report(sources, file, title=HOSTILE, asked=RunRequest("model", episodes=2))
    return file.as_uri()


@pytest.fixture
def page(browser: Chrome, address: str) -> Iterator[Chrome]:
    """Return a browser that has just loaded the page."""
    browser.set_window_size(1280, 900)
    browser.get_log("browser")
    browser.get_log("performance")
    browser.get(address)
    # On a busy machine the browser may still be parsing: the plot is the last part.
    WebDriverWait(browser, TIMEOUT).until(lambda at: at.find_elements(By.CSS_SELECTOR, ".plot"))
    yield browser
    assert browser.get_log("browser") == []


SHOWN = """
const [player] = arguments, all = (what) => [...player.querySelectorAll(what)];
const count = (state) => all(`.spot.${state}`).length;
return {
  now: all(".now")[0].textContent.split(" ")[1],
  slide: all(".slide")[0].value,
  member: count("member"), arrived: count("arrived"), released: count("released"),
  root: all(".spot.root title").map((title) => title.textContent),
  dots: all(".dots path").map((dot) => dot.getAttribute("transform")),
  lit: all(".links .lit").length,
  go: all(".go")[0].textContent,
  status: all(".status")[0].textContent,
};
"""


class Player:
    """The first animation whose frames have this unit."""

    def __init__(self, page: Chrome, unit: str = "cycle") -> None:
        self._page = page
        found = page.find_elements(By.CSS_SELECTOR, ".player")
        self.own = next(p for p in found if p.find_elements(By.CSS_SELECTOR, f"[title~={unit}]"))
        data = self.find("script").get_attribute("textContent")
        self.animation = json.loads(data or "")

    def find(self, selector: str) -> WebElement:
        return self.own.find_element(By.CSS_SELECTOR, selector)

    def do(self, name: str) -> None:
        self.find(f"[data-do={name}]").click()

    @property
    def shown(self) -> dict[str, Any]:
        """What is to be seen: the frame, spots by their state, moving things, and words."""
        found: dict[str, Any] = self._page.execute_script(SHOWN, self.own)
        return found

    @property
    def now(self) -> int:
        return int(self.shown["now"])

    def expect(self, frame: int) -> dict[str, Any]:
        """Check what is shown against the animation, and return it."""
        cast, shown = self.animation["casts"][0], self.shown
        released = sum(cycle is not None and cycle <= frame for cycle in cast["releases"])
        arrived = sum(cycle is not None and cycle <= frame for cycle in cast["arrivals"])
        assert shown["now"] == shown["slide"] == str(frame)
        assert shown["released"] == released
        assert shown["arrived"] == max(0, arrived - released)
        assert len(shown["dots"]) == sum(move[0] == frame for move in self.animation["moves"])
        return shown


def test_it_loads_alone_and_runs_nothing_of_the_users(page: Chrome) -> None:
    sent = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    asked = {
        event["params"]["request"]["url"].partition(":")[0]
        for event in sent
        if event["method"] == "Network.requestWillBeSent"
        and not event["params"]["documentURL"].startswith("chrome:")  # its own first page
    }
    assert "file" in asked
    assert asked <= {"file", "data"}
    assert page.title == HOSTILE


def test_a_click_on_a_head_sorts(page: Chrome) -> None:
    (table,) = (
        table
        for table in page.find_elements(By.CSS_SELECTOR, "table.sorts")
        if "nothing to compare" in table.text
    )
    heads = table.find_elements(By.TAG_NAME, "th")

    def column(place: int) -> list[str]:
        cells = table.find_elements(By.CSS_SELECTOR, f"tbody td:nth-child({place + 1})")
        return [cell.text for cell in cells]

    ours = heads[2].find_element(By.TAG_NAME, "button")
    assert column(2) == ["9", "2.5", "1,000", "no"]
    ours.click()
    assert heads[2].get_attribute("aria-sort") == "ascending"
    assert column(2) == ["2.5", "9", "1,000", "no"]
    ours.send_keys(Keys.ENTER)
    assert heads[2].get_attribute("aria-sort") == "descending"
    assert column(2) == ["no", "1,000", "9", "2.5"]
    ratio = heads[3].find_element(By.TAG_NAME, "button")
    for wanted in (["0.9", "1.25", "–", "–"], ["1.25", "0.9", "–", "–"]):
        ratio.click()
        assert column(3) == wanted
    assert heads[2].get_attribute("aria-sort") is None
    assert column(0)[0] == "between"


def test_a_point_under_the_pointer_shows_its_value(page: Chrome) -> None:
    plot = page.find_elements(By.CSS_SELECTOR, ".plot")[-1]
    svg = plot.find_element(By.TAG_NAME, "svg")
    data = plot.find_element(By.TAG_NAME, "script").get_attribute("textContent")
    points = json.loads(data or "")
    tip = page.find_element(By.ID, "tip")
    assert not tip.is_displayed()
    wide, high = (float(part) for part in (svg.get_dom_attribute("viewBox") or "").split()[2:])
    for x, y, words in points[1:3]:
        size = svg.rect
        right, down = (x / wide - 0.5) * size["width"], (y / high - 0.5) * size["height"]
        ActionChains(page).move_to_element_with_offset(svg, round(right), round(down)).perform()
        assert tip.is_displayed()
        assert tip.text == words
    assert points[1][2] == f"{HOSTILE}\nx: 2\ny: 20"
    # The mark of the curve is really there: the point of the drawing nearest to it.
    near = page.execute_script(
        "const [svg, x, y] = arguments; const turn = svg.getScreenCTM();"
        "return Math.min(...[...svg.querySelectorAll('use')].map(use => {"
        " const box = use.getBoundingClientRect();"
        " return Math.hypot(box.x + box.width / 2 - (turn.a * x + turn.e),"
        "                   box.y + box.height / 2 - (turn.d * y + turn.f)); }))",
        svg,
        points[1][0],
        points[1][1],
    )
    assert near < 1
    ActionChains(page).move_to_element(page.find_element(By.TAG_NAME, "h1")).perform()
    assert not tip.is_displayed()
    page.execute_script("arguments[0].focus()", svg)
    svg.send_keys(Keys.ARROW_RIGHT)
    assert tip.is_displayed()


def test_it_plays_to_the_end_and_everybody_is_released(page: Chrome) -> None:
    player = Player(page)
    animation = player.animation
    player.expect(animation["first"])
    assert player.shown["member"] == len(animation["casts"][0]["members"])
    player.find(".speed option[value='8']").click()
    player.do("play")
    WebDriverWait(page, TIMEOUT).until(lambda _: player.now > animation["first"])
    WebDriverWait(page, TIMEOUT).until(lambda _: player.now == animation["last"])
    WebDriverWait(page, TIMEOUT).until(lambda _: "play" in player.shown["go"])
    shown = player.expect(animation["last"])
    members = len(animation["casts"][0]["members"])
    assert shown["released"] == members
    assert f"{members} of {members} released" in shown["status"]
    player.do("play")  # from the beginning again
    assert "pause" in player.shown["go"]
    player.do("play")
    assert player.now < animation["last"]


def test_steps_slider_and_keys(page: Chrome) -> None:
    player = Player(page)
    first, last = player.animation["first"], player.animation["last"]
    for name, frame in (("next", first + 1), ("next", first + 2), ("back", first + 1)):
        player.do(name)
        player.expect(frame)
    player.do("first")
    player.do("back")
    player.expect(first)
    slide = player.find(".slide")
    slide.send_keys(Keys.ARROW_RIGHT * 9)
    player.expect(first + 9)
    stage = player.find(".stage svg")
    page.execute_script("arguments[0].focus()", stage)
    for key, frame in ((Keys.END, last), (Keys.ARROW_LEFT, last - 1), (Keys.HOME, first)):
        stage.send_keys(key)
        player.expect(frame)
    stage.send_keys(" ")
    assert "pause" in player.shown["go"]
    stage.send_keys(" ")
    assert "play" in player.shown["go"]
    seen = []
    for button in player.own.find_elements(By.CSS_SELECTOR, ".choose button"):
        button.click()
        seen.append(player.shown["member"])
        assert len(player.shown["root"]) == 1
    assert seen == [len(cast["members"]) for cast in player.animation["casts"]]


def test_a_schedule_is_played_step_by_step(page: Chrome) -> None:
    player = Player(page, "step")
    assert player.now == 0
    player.expect(0)
    for step in range(1, player.animation["last"] + 1):
        player.do("next")
        shown = player.expect(step)
        taken = {link for move in player.animation["moves"] if move[0] == step for link in move[1]}
        assert shown["lit"] == len(taken)
    assert shown["released"] == 3


STILL = """
window.held = [];
window.requestAnimationFrame = (go) => held.push(go);
performance.now = () => 0;
"""
"""Time stands still until a test hands it on."""


@pytest.mark.parametrize("calm", [False, True])
def test_messages_glide_unless_the_reader_wants_calm(page: Chrome, calm: bool) -> None:
    feature = {"name": "prefers-reduced-motion", "value": "reduce" if calm else ""}
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    try:
        player = Player(page)
        frame = next(move[0] for move in player.animation["moves"])
        page.execute_script(STILL)
        while player.now < frame:
            player.do("next")
        player.do("play")
        seen: list[Any] = []
        for time in (50, 200):
            page.execute_script("held.splice(0).forEach((go) => go(arguments[0]))", time)
            seen.append(player.shown["dots"])
        assert player.now == frame
        assert seen[0]
        assert (seen[0] == seen[1]) == calm
        page.execute_script("held.splice(0).forEach((go) => go(arguments[0]))", 400)
        assert player.now == frame + 1
    finally:
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_a_phone_shows_it_all(page: Chrome, address: str) -> None:
    phone = {"width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": True}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    try:
        page.get(address)
        wide = "return [document.documentElement.scrollWidth, innerWidth]"
        assert page.execute_script(wide) == [360, 360]
        player = Player(page)
        stage, controls = player.find(".stage svg").rect, player.find(".controls").rect
        assert 250 < stage["width"] <= 360
        assert controls["x"] >= 0
        assert controls["x"] + controls["width"] <= 360
        player.do("next")
        player.expect(player.animation["first"] + 1)
    finally:
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_it_is_dark_where_the_reader_is(page: Chrome) -> None:
    ground = "return getComputedStyle(document.body).backgroundColor"
    light = page.execute_script(ground)
    dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
    try:
        assert page.execute_script(ground) != light
        ink = "return getComputedStyle(document.querySelector('.drawing svg text, h1')).color"
        red, green, blue = page.execute_script(ink)[4:-1].split(",")
        assert min(map(int, (red, green, blue))) > 180
    finally:
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
