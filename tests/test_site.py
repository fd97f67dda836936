"""The documentation's site, as `scripts/docs` builds it, in a browser."""

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from tests.browser import TIMEOUT

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.chromium

STILL = """
document.head.appendChild(document.createElement("style")).textContent =
  "* { transition: none !important; }";
"""
CONTRAST = """
const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
const light = (c) => { const [r, g, b] = c.map((v) => v / 255).map(
  (v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
const paint = (...colours) => { canvas.clearRect(0, 0, 1, 1);
  for (const c of colours) { canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1); }
  return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3); };
const page = getComputedStyle(document.body).backgroundColor;
const wanted = "article p, article a:not(.headerlink), article td, article code, nav a";
const seen = [...document.querySelectorAll(wanted)].filter((e) => e.offsetParent);
return seen.slice(0, 200).map((e) => {
  const layers = [page];
  for (let up = e; up; up = up.parentElement) layers.splice(1, 0,
    getComputedStyle(up).backgroundColor);
  const back = paint(...layers), front = paint(...layers, getComputedStyle(e).color);
  const [a, b] = [light(back), light(front)].sort((x, y) => y - x);
  return [(a + 0.05) / (b + 0.05), e.tagName + " " + e.textContent.slice(0, 40)];
});
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the built site. A warning would be an error."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return folder


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Serve the site on this machine."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def opened(browser: Chrome, address: str, width: int = 1280) -> Chrome:
    browser.get_log("performance")  # type: ignore[no-untyped-call]
    browser.set_window_size(width, 900)
    browser.get(address)
    return browser


def until(browser: Chrome, selector: str) -> None:
    WebDriverWait(browser, TIMEOUT).until(lambda at: at.find_elements(By.CSS_SELECTOR, selector))


@pytest.mark.nightly
def test_search_finds_all_reduce(browser: Chrome, address: str) -> None:
    page = opened(browser, f"{address}/tour.html")
    until(page, ".md-search__input")
    field = page.find_element(By.CSS_SELECTOR, ".md-search__input")
    field.click()
    field.send_keys("all-reduce")

    def titles(at: Chrome) -> set[str]:
        found = at.find_elements(By.CSS_SELECTOR, ".md-search-result__item h1")
        return {each.text for each in found}

    WebDriverWait(page, 20).until(lambda at: "Schedule an all-reduce" in titles(at))


@pytest.mark.nightly
def test_nothing_is_fetched_from_elsewhere(browser: Chrome, address: str) -> None:
    page = opened(browser, f"{address}/index.html")
    until(page, ".md-search__input")
    log = page.get_log("performance")  # type: ignore[no-untyped-call]
    text = " ".join(entry["message"] for entry in log)
    urls = re.findall(r'"url":"(https?://[^"]+)"', text)
    assert urls
    assert [url for url in urls if not url.startswith(address)] == []


@pytest.mark.nightly
def test_the_barrier_of_the_first_page_plays(browser: Chrome, address: str) -> None:
    page = opened(browser, f"{address}/index.html")
    frame = page.find_element(By.CSS_SELECTOR, "iframe.player")
    page.execute_script("arguments[0].scrollIntoView()", frame)
    page.switch_to.frame(frame)
    try:
        until(page, "[data-do=play]")
        shown = page.find_element(By.CSS_SELECTOR, ".now")
        begin = shown.text
        page.find_element(By.CSS_SELECTOR, "[data-do=play]").click()
        WebDriverWait(page, TIMEOUT).until(lambda _: shown.text != begin)
        until(page, ".spot.released")
    finally:
        page.switch_to.default_content()


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["index", "choosing", "network-files", "microarchitecture-engine"])
def test_a_phone_shows_the_page_without_scrolling_sideways(
    browser: Chrome, address: str, name: str
) -> None:
    page = opened(browser, f"{address}/{name}.html", 420)
    until(page, "article h1")
    wide, inner = page.execute_script(
        "return [document.documentElement.scrollWidth, window.innerWidth]"
    )
    assert wide <= inner


@pytest.mark.nightly
@pytest.mark.parametrize("scheme", ["default", "slate"])
@pytest.mark.parametrize("name", ["index", "tour", "api"])
def test_contrast_in_both_schemes(browser: Chrome, address: str, name: str, scheme: str) -> None:
    page = opened(browser, f"{address}/{name}.html")
    until(page, "article h1")
    page.execute_script(STILL)
    page.execute_script(f"document.body.setAttribute('data-md-color-scheme', '{scheme}')")
    found = page.execute_script(CONTRAST)
    assert len(found) > 20
    assert [each for each in found if each[0] < 4.5] == []


@pytest.mark.nightly
def test_dark_mode_is_one_click(browser: Chrome, address: str) -> None:
    page = opened(browser, f"{address}/index.html")
    until(page, "label[title='Dark mode']")
    page.find_element(By.CSS_SELECTOR, "label[title='Dark mode']").click()
    until(page, "body[data-md-color-scheme=slate]")


def test_links_of_the_site_lead_somewhere(site: Path) -> None:
    """Those of its navigation and pages; strict mode has looked at the sources' own."""
    pages = {page.name: page.read_text("utf-8") for page in site.glob("*.html")}
    names = {name: {*re.findall(r'\bid="([^"]+)"', text)} for name, text in pages.items()}
    for name, text in pages.items():
        for target in re.findall(r'href="([^":]+\.html(?:#[^"]*)?)"', text):
            file, _, anchor = target.partition("#")
            file = file.removeprefix("./").lstrip("/")
            assert file in pages, f"{name}: {target}"
            assert not anchor or anchor in names[file], f"{name}: {target}"


def test_every_fence_is_a_block(site: Path) -> None:
    """Also one with a mark for the tests."""
    assert [page.name for page in site.glob("*.html") if "```" in page.read_text("utf-8")] == []


def shown_numbers(article: str) -> list[int]:
    """Return the numbers of the items of an article's outermost ordered lists."""
    found: list[int] = []
    lists: list[int] = []  # the next number of each list around; 0 in a list without numbers
    for tag in re.finditer(r'<ol(?: start="(\d+)")?>|<ul[^>]*>|</[ou]l>|<li>', article):
        if tag[0].startswith(("<ol", "<ul")):
            lists.append(int(tag[1] or 1) if tag[0].startswith("<ol") else 0)
        elif tag[0] == "<li>":
            if len(lists) == 1 and lists[0]:
                found.append(lists[0])
            lists[-1] += lists[-1] > 0
        else:
            lists.pop()
    return found


@pytest.mark.parametrize("page", sorted(ROOT.glob("docs/microarch*.md")), ids=lambda p: p.stem)
def test_rules_have_the_numbers_that_they_are_cited_by(site: Path, page: Path) -> None:
    """A list goes on after a table, or after a figure."""
    source = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.S)
    numbers = [int(number) for number in re.findall(r"^(\d+)\. ", source, re.M)]
    shown = (site / f"{page.stem}.html").read_text("utf-8")
    article = shown[shown.index("<article") : shown.index("</article")]
    assert shown_numbers(article) == numbers
    assert numbers
