"""Reports in a real browser: they render, sort, filter and draw; nothing hostile runs; everybody can read them."""

import json
import os
import shutil
from dataclasses import dataclass

import pytest
from classes import ODD_NAMES
from hostile_class import LONG, make_hostile_class

from attention_kata.gradebook.grades import Grades
from attention_kata.gradebook.records import Student
from attention_kata.report.folder import write_feedback
from attention_kata.report.gather import gather
from attention_kata.report.page import class_page
from attention_kata.text import on_one_line

if not os.environ.get("CI"):
    pytest.importorskip("selenium", reason="selenium is not installed: pip install -e '.[dev]'")

from selenium import webdriver
from selenium.common.exceptions import NoAlertPresentException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

OPTIONS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars")
STUDENTS = 27
CONTRAST = """
const parsed = (colour) => colour.match(/[\\d.]+/g).map(Number);
const light = ([r, g, b]) => [[0.2126, r], [0.7152, g], [0.0722, b]].reduce((sum, [weight, c]) => {
  c /= 255;
  return sum + weight * (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
}, 0);
const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
const behind = (element) => {
  for (; element; element = element.parentElement) {
    const colour = parsed(getComputedStyle(element).backgroundColor);
    if (colour.length < 4 || colour[3] === 1) return colour;
  }
  throw new Error("nothing is behind the page");
};
document.querySelectorAll("details").forEach((details) => { details.open = true; });
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const found = new Map();
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement;
  if (!walker.currentNode.data.trim() || element.closest("script, style, noscript, option, title, desc, .sr")) continue;
  const style = getComputedStyle(element);
  const inside = element instanceof SVGElement;
  const colour = parsed(inside ? style.fill : style.color);
  const backgrounds = [behind(element)];
  if (inside) backgrounds.push(parsed(getComputedStyle(document.querySelector(".band")).fill));
  for (const background of backgrounds) {
    const name = `${colour} on ${background}: ${element.tagName} ${walker.currentNode.data.trim().slice(0, 20)}`;
    found.set(`${colour} ${background}`, [ratio(colour, background), name]);
  }
}
return [...found.values()];
"""


@pytest.fixture(scope="session")
def chromium():
    """Debian's Chromium, driven by Debian's chromedriver."""
    programs = [shutil.which("chromium"), shutil.which("chromedriver")]
    if None in programs:
        missing = "chromium and chromedriver are not installed: apt-get install chromium chromium-driver"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    options = webdriver.ChromeOptions()
    for option in OPTIONS:
        options.add_argument(option)
    options.binary_location = programs[0]
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    options.set_capability("unhandledPromptBehavior", "ignore")  # an alert is to be seen by the test
    driver = webdriver.Chrome(options=options, service=Service(programs[1]))
    yield driver
    driver.quit()


@pytest.fixture(scope="session")
def written(tmp_path_factory):
    """The pages of the hostile class, as files."""
    folder = tmp_path_factory.mktemp("pages")
    with make_hostile_class(folder / "grades.db") as grades:
        (folder / "report.html").write_text("".join(class_page(gather(grades), "today")), encoding="utf-8")
        write_feedback(grades, folder / "feedback", ("html",))
    return folder


@dataclass
class Page:
    driver: object
    url: str

    def opened(self, width=1280, scheme="light", media="screen", fragment=""):
        self.driver.get("about:blank")
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})
        for log in ("browser", "performance"):
            self.driver.get_log(log)
        self.driver.get(self.url + fragment)
        self.until("document.readyState === 'complete' && location.protocol === 'file:'")  # `get` may be early
        return self

    def until(self, condition):
        WebDriverWait(self.driver, 60).until(lambda driver: driver.execute_script(f"return {condition}"))

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def all(self, selector):
        return self.driver.find_elements("css selector", selector)

    def one(self, selector):
        return self.driver.find_element("css selector", selector)

    def column(self, number):
        """The texts of a column of the table of students, as they are shown."""
        return self.run(
            "const rows = [...document.querySelectorAll('#students-table tbody tr')];"
            "return rows.map((row) => row.cells[arguments[0]].innerText)",
            number,
        )

    def header(self, label):
        return next(b for b in self.all("#students-table thead button") if b.text == label)


@pytest.fixture
def report(chromium, written):
    return Page(chromium, (written / "report.html").as_uri()).opened()


FEEDBACK = ("s00001", "s00006", "passwd", "script")  # ordinary; a tag as a name; a long name; hostile in all


@pytest.fixture(params=("report", *FEEDBACK))
def page(request, chromium, written):
    """The report and some pages of feedback."""
    if request.param == "report":
        return Page(chromium, (written / "report.html").as_uri())
    (path,) = (written / "feedback").glob(f"*{request.param}*.html")
    return Page(chromium, path.as_uri())


# ---------------------------------------------------------------------- whole pages


def test_a_page_renders_and_nothing_is_complained_of(page):
    page.opened()
    assert page.run("return document.querySelector('h1').innerText.length") > 0
    assert page.driver.get_log("browser") == []


def test_a_page_asks_the_network_for_nothing(page):
    page.opened()
    messages = [json.loads(entry["message"])["message"] for entry in page.driver.get_log("performance")]
    asked = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    assert asked == [page.url]


def test_the_policy_forbids_what_is_not_ours(page):
    page.opened()
    page.run("""
      const script = document.createElement("script"); script.textContent = "window.owned = 1";
      const image = new Image(); image.src = "http://127.0.0.1:9/x.png";
      const style = document.createElement("style"); style.textContent = "h1 { display: none }";
      document.body.append(script, image, style);
    """)
    assert page.run("return [window.owned ?? null, getComputedStyle(document.querySelector('h1')).display]") == [
        None,
        "block",
    ]
    assert {"Content Security Policy" in entry["message"] for entry in page.driver.get_log("browser")} == {True}


def test_nothing_hostile_runs(page):
    page.opened()
    with pytest.raises(NoAlertPresentException):
        page.driver.switch_to.alert.text  # noqa: B018
    assert page.run("return window.owned ?? null") is None
    assert page.all("img, iframe, object, embed, form, [onerror], [onclick], a:not([href^='#'])") == []


@pytest.mark.parametrize("width", [390, 320])
def test_a_phone_does_not_scroll_sideways(page, width):
    page.opened(width)
    page.run("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
    assert page.run("return [document.documentElement.scrollWidth, innerWidth]") == [width, width]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out(page, scheme):
    page.opened(scheme=scheme)
    found = page.run(CONTRAST)
    assert len(found) >= 3
    assert [name for ratio, name in found if ratio < 4.5] == []


def test_the_dark_is_dark(page):
    colours = [
        page.opened(scheme=scheme).run("const s = getComputedStyle(document.body); return [s.color, s.backgroundColor]")
        for scheme in ("light", "dark")
    ]
    assert len({colour for pair in colours for colour in pair}) == 4


def test_paper_is_white_even_in_the_dark(page):
    page.opened(scheme="dark", media="print")
    assert page.run("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


# ---------------------------------------------------------------------- the table of students


def test_odd_names_are_shown_as_text(report):
    assert [name for name in map(on_one_line, (*ODD_NAMES, LONG[:200])) if name not in report.column(0)] == [
        LONG[:200]  # cut, with an ellipsis
    ]


def test_a_click_on_a_header_sorts_and_another_turns_it_round(report):
    header = report.header("points")
    header.click()
    points = [float(p) for p in report.column(3) if p != "–"]
    assert points == sorted(points)
    assert report.column(3)[-1] == "–"  # no grade is not the lowest grade
    header.click()
    assert [float(p) for p in report.column(3) if p != "–"] == points[::-1]
    assert report.column(3)[-1] == "–"


def test_a_header_tells_how_it_sorts(report):
    report.header("points").click()
    states = report.run("return [...document.querySelectorAll('#students-table th')].map(h => h.ariaSort)")
    assert (states[3], set(states[:3] + states[4:])) == ("ascending", {"none"})


@pytest.mark.parametrize("key", ["ENTER", "SPACE"])
def test_the_keyboard_sorts(report, key):
    report.header("name").send_keys(getattr(Keys, key))
    assert report.one("#students-table th").get_attribute("aria-sort") == "ascending"
    names = report.column(0)
    assert names.index("O'Neil") < names.index("Student 13") < names.index("Student 19") < names.index("Zoë Ångström")


def test_other_tables_sort_too(report):
    report.one("#checks th:nth-child(7) button").click()
    values = report.run("return [...document.querySelectorAll('#checks tbody tr')].map(r => r.cells[6].innerText)")
    numbers = [float(value) for value in values if value != "–"]
    assert numbers == sorted(numbers)


def test_the_first_tab_leads_to_the_report(report):
    ActionChains(report.driver).send_keys(Keys.TAB).perform()
    style = "return [document.activeElement.innerText, getComputedStyle(document.activeElement).outlineStyle]"
    assert report.run(style) == ["Skip to the report", "solid"]


def test_a_name_is_found_without_its_accents(report):
    report.one("#search").send_keys("angstrom")
    assert report.column(0) == ["Zoë Ångström"]
    assert report.one("#students-count").text == f"1 of {STUDENTS} students"


def test_the_status_filters(report):
    report.one("#status option:nth-child(3)").click()
    assert set(report.column(2)) == {"missing"}


def test_marks_filter(report):
    report.one("#flag option:nth-child(2)").click()
    assert report.column(1) == ["s00001"]


def test_every_filter_has_a_label(report):
    unlabelled = "return [...document.querySelectorAll('input, select')].filter(i => !i.labels.length).length"
    assert report.run(unlabelled) == 0


def test_a_name_leads_to_its_details(report):
    report.one("#students-table a[href='#d-0']").click()
    report.until("document.activeElement.tagName === 'SUMMARY'")
    opened = "return [...document.querySelectorAll('#details details')].filter(d => d.open).map(d => d.id)"
    assert report.run(opened) == ["d-0"]


def test_a_link_to_details_opens_them(chromium, written):
    page = Page(chromium, (written / "report.html").as_uri()).opened(fragment="#d-3")
    assert page.one("#d-3").get_attribute("open") == "true"


def test_a_large_table_is_shown_page_by_page_and_printed_as_a_whole(chromium, tmp_path):
    with Grades(tmp_path / "grades.db", create=True) as grades:
        with grades.transaction():
            for i in range(600):
                grades.enrol(Student(id=f"s{i:05}"))
        (tmp_path / "report.html").write_text("".join(class_page(gather(grades), "today")), encoding="utf-8")
    page = Page(chromium, (tmp_path / "report.html").as_uri()).opened()
    assert len(page.column(1)) == 250
    page.one("#more").click()
    assert (len(page.column(1)), page.one("#more").text) == (500, "Show 100 more")
    page.run("dispatchEvent(new Event('beforeprint'))")
    assert len(page.column(1)) == 600


# ---------------------------------------------------------------------- misconceptions and heat maps


def test_a_misconception_opens_by_keyboard(report):
    first = report.one("#mistakes summary")
    first.send_keys(Keys.ENTER)
    assert report.run("return document.querySelector('#mistakes details').open") is True
    assert len(report.all("#mistakes details:first-of-type li")) > 0


def test_choosing_a_failure_draws_its_heat_map(report):
    before = report.one("#heat h3").text
    report.run("document.querySelector('#heat-choice').scrollIntoView()")
    options = report.all("#heat-choice option")
    options[-1].click()
    assert report.one("#heat h3").text != before
    tables = report.all("#heat table")
    assert [table.find_element("css selector", "caption").text for table in tables] == ["Expected", "Found"]


def test_a_heat_map_does_not_rely_on_colour(report):
    off = report.all("#heat td.off")
    assert len(off) > 0
    assert {cell.get_attribute("textContent").split()[-1] for cell in off} == {"differs"}
    assert "numbers shown differ, the first at" in report.one("#heat").text
    assert report.run("return [...document.querySelectorAll('#heat th')].filter(h => !h.scope).length") == 0
