# SPDX-License-Identifier: Apache-2.0
"""One person's browser: Debian's Chromium without a window, with axe at hand."""

import argparse
import base64
import contextlib
import importlib.util
import os
import pathlib
import sys
import tempfile
import time
import urllib.parse

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

# Chromium without its windows: the same pages for half the work. Not the script in /usr/bin, which stays between it and
# chromedriver: that would end the script, and leave the browser.
CHROMIUM = "/usr/lib/chromium/chromium-headless-shell"
CHROMEDRIVER = "/usr/bin/chromedriver"
# Read as a file: importing the package would want Playwright, which is not installed.
AXE = pathlib.Path(importlib.util.find_spec("axe_playwright_python").submodule_search_locations[0]) / "axe.min.js"


# WCAG 2.2 AA, and what axe knows of good practice beside it.
RULES = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
# What another theme can change.
COLOURS = {"type": "rule", "values": ["color-contrast"]}
RUN_AXE = """
const [runOnly, rules, done] = arguments;
axe.run(document, {resultTypes: ['violations'], runOnly, rules}).then(({violations}) => done(violations.map((found) =>
  `${found.impact} ${found.id}: ${found.help}: ${found.nodes.slice(0, 4).map((node) => node.target).join('; ')}`)),
  (error) => done([String(error)]));
"""


# Those of a desk, of a phone, and of the narrowest that counts.
WIDTHS = (1280, 390, 320)
# What keeps somebody from pressing an element in a window of this width; `null` where nothing does.
OUT_OF_REACH = """
const [element] = arguments;
element.scrollIntoView({block: 'center', behavior: 'instant'});
const box = [...element.getClientRects()].find(({width, height}) => width && height);
if (!box) return 'is not shown';
if (box.left < -1 || box.right > innerWidth + 1) return `reaches from ${box.left} to ${box.right} px`;
const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
const hit = document.elementFromPoint(x, y);
const isHit = hit && (element.contains(hit) || hit.contains(element) || hit.closest('label')?.contains(element));
return isHit ? null : `is covered by ${hit?.outerHTML.slice(0, 80)}`;
"""


class Failed(AssertionError):
    """Something on the way does not hold."""


def expect(condition, what):
    if not condition:
        raise Failed(f"does not hold: {what}")


def arguments(about, *names):
    """What a story is called with: the market's address, options by name, and where pictures go."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("base")
    for name in names:
        parser.add_argument(name, **({"required": True} if name.startswith("--") else {}))
    parser.add_argument("--pictures", type=pathlib.Path, help="keep a picture of every page here")
    return parser.parse_args()


@contextlib.contextmanager
def browsers(options):
    """Hands out browsers, ends them all, and ends the program when any of them had something to complain of."""
    opened = []
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sm-browser-")))

        def browser(name, **more):
            opened.append(stack.enter_context(Browser(options.base, folder / name, pictures=options.pictures, **more)))
            return opened[-1]

        yield browser
    complaints = [complaint for each in opened for complaint in each.complaints]
    for complaint in complaints:
        print(complaint)
    if complaints:
        sys.exit(f"{len(complaints)} complaints")
    print(f"the story holds: {len(Browser.looked_at)} pages looked at")


class Browser:
    """A browser of its own, with its own cookies and downloads."""

    looked_at = []

    def __init__(self, base, folder, pictures=None, scripts=True):
        self.base = base.rstrip("/")
        self.downloads = folder / "downloads"
        self.downloads.mkdir(parents=True)
        self.pictures_folder = pictures
        if pictures:
            pictures.mkdir(parents=True, exist_ok=True)
        self.complaints = []
        self.size = None
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for argument in (
            "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--window-size=1280,900", "--no-first-run",
            "--disable-background-networking",
        ):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        # chromedriver makes the browser's profile there.
        service = webdriver.ChromeService(CHROMEDRIVER, env={**os.environ, "TMPDIR": str(folder)})
        self.driver = webdriver.Chrome(options=options, service=service)
        self.driver.execute_cdp_cmd(
            "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(self.downloads)})
        # A market counts nothing of a browser that says that nobody sits at it.
        agent = self.driver.execute_script("return navigator.userAgent").replace("Headless", "")
        self.driver.execute_cdp_cmd("Emulation.setUserAgentOverride", {"userAgent": agent})
        self.own_width = self.driver.execute_script("return innerWidth")
        self.run_scripts(scripts)
        # Else selenium gives up on chromedriver after 120 s, before chromedriver gives up on the page.
        self.driver.command_executor.client_config.timeout = 900
        self.driver.set_page_load_timeout(300)
        self.driver.set_script_timeout(600)  # axe, on the page of the whole contract, while other tests run

    def __enter__(self):
        return self

    def __exit__(self, kind, error, _):
        if error is not None and self.pictures_folder:
            self.driver.save_screenshot(str(self.pictures_folder / f"failed-{self.downloads.parent.name}.png"))
        self.driver.quit()

    def run_scripts(self, are_run):
        """Whether pages that are opened from here on run theirs."""
        self.scripts = are_run
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not are_run})

    # The window

    def window(self, width=None, height=900):
        """Makes it as wide as asked, else as wide as it was at first."""
        self.size = (width, height) if width else None
        self._fit(self.size)

    def each_width(self):
        """One window after the other, and then the first again."""
        for width in WIDTHS:
            self.window(width)
            yield width
        self.window()

    def _fit(self, size):
        if size:
            self.driver.execute_cdp_cmd(
                "Emulation.setDeviceMetricsOverride",
                {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False})
        else:
            self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        # The page hears of it a moment later: a click before that hits what stood there.
        wanted = size[0] if size else self.own_width
        self.wait(lambda: self.driver.execute_script("return innerWidth") == wanted, f"the window is {wanted} px wide")

    def _check_reach(self, element):
        """Whatever is pressed on the way can be pressed in every window."""
        for width in WIDTHS:
            self._fit((width, self.size[1] if self.size else 900))
            reason = self.driver.execute_script(OUT_OF_REACH, element)
            if reason:
                name = self.driver.execute_script("return arguments[0].outerHTML.slice(0, 120)", element)
                self.complaints.append(f"{self.path()}, {width} px: {name} {reason}")
        self._fit(self.size)

    # Going about

    def open(self, path):
        self.driver.get(self.base + path)

    def path(self):
        """Path and query of the page."""
        parts = urllib.parse.urlsplit(self.driver.current_url)
        return parts.path + ("?" + urllib.parse.unquote(parts.query) if parts.query else "")

    def text(self):
        """What the page says, hidden parts left out."""
        return self.driver.execute_script("return document.body.innerText")

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def fill(self, identifier, text):
        field = self.driver.find_element(By.ID, identifier)
        field.clear()
        field.send_keys(text)

    def choose(self, identifier, value):
        Select(self.driver.find_element(By.ID, identifier)).select_by_value(value)

    def submit(self, form="main form", leaves=True):
        """Sends a form; `leaves` says that another page follows, as it does unless a script sends it."""
        self.act(self.one(f"{form} button:not([type=button])"), leaves)

    def press(self, label):
        self.act(self.driver.find_element(By.XPATH, f"//main//button[normalize-space()='{label}']"), True)

    def follow(self, label):
        self.act(self.driver.find_element(By.PARTIAL_LINK_TEXT, label), True)

    def unfold(self, selector):
        """Opens what is folded in narrow windows alone, so that it can be read and pressed in each."""
        self.driver.execute_script("document.querySelector(arguments[0]).open = true", selector)

    def click(self, selector):
        self.act(self.one(selector), False)

    def act(self, element, leaves):
        before = self.one("html")
        self._check_reach(element)
        element.click()
        if leaves:
            self.wait(lambda: self.has_left(before), "another page follows")

    def has_left(self, page):
        try:
            page.is_enabled()
            return False
        except StaleElementReferenceException:
            return self.driver.execute_script("return document.readyState") == "complete"
        except WebDriverException as error:
            # What Chromium says when it is asked in the middle of the change; the next question gets an answer.
            if "does not belong to the document" in str(error):
                return False
            raise

    def escape(self):
        self.driver.switch_to.active_element.send_keys(Keys.ESCAPE)

    def wait(self, condition, what, seconds=300):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                if condition():
                    return
            except StaleElementReferenceException:
                pass
            time.sleep(0.05)
        raise Failed(f"not within {seconds} s: {what}\n{self.path()}\n{self.text()}")

    def mark(self):
        """Leaves a mark that is gone when the page is loaded anew."""
        self.driver.execute_script("window.journeyMark = true")

    def is_marked(self):
        return self.driver.execute_script("return window.journeyMark === true")

    def pictures(self):
        return [picture.get_attribute("src") for picture in self.all("main img")]

    def is_loaded(self, address):
        return self.driver.execute_async_script(
            "const done = arguments[1]; const picture = new Image();"
            "picture.onload = () => done(picture.naturalWidth > 0); picture.onerror = () => done(false);"
            "picture.src = arguments[0];", address)

    def downloaded(self, suffix=".pdf"):
        """The one file of its kind that was downloaded, once it is whole."""
        found = []

        def is_there():
            found[:] = [file for file in self.downloads.iterdir() if file.suffix == suffix]
            return bool(found)

        self.wait(is_there, "the file arrives")
        return found[0]

    # Looking at pages

    def look(self, name, axe=True):
        """Checks the page in every window, with axe, in light and dark; keeps pictures when they are wanted."""
        Browser.looked_at.append(name)
        had_scripts = self.scripts
        # Those of the page were left out when it was loaded; axe is one, too.
        self.run_scripts(True)
        if axe:
            self.driver.execute_script(AXE.read_text(encoding="utf-8"))
        for scheme in ("light", "dark"):
            self.driver.execute_cdp_cmd(
                "Emulation.setEmulatedMedia",
                {"features": [{"name": "prefers-color-scheme", "value": scheme},
                              {"name": "prefers-reduced-motion", "value": "reduce"}]})
            for width in WIDTHS:
                self._fit((width, 900))
                place = f"{name}, {scheme}, {width} px"
                wide = self.driver.execute_script(
                    "return document.documentElement.scrollWidth - document.documentElement.clientWidth")
                if wide > 0:
                    self.complaints.append(f"{place}: the page is {wide} px wider than the window")
                # Colours are all that another theme changes, and they are the same in every window.
                if axe and (scheme == "light" or width == WIDTHS[0]):
                    self.complaints += [f"{place}: {line}" for line in self.axe(scheme == "dark")]
                if self.pictures_folder:
                    self.keep_picture(self.pictures_folder / f"{name}-{width}-{scheme}.png", width)
        self._fit(self.size)
        self.run_scripts(had_scripts)
        for entry in self.driver.get_log("browser"):
            # Answers that are no 2xx are logged by the browser too; those are looked at by what the pages say.
            if entry["level"] == "SEVERE" and "Failed to load resource" not in entry["message"]:
                self.complaints.append(f"{name}: the console says {entry['message']}")

    def axe(self, colours_alone=False, colours=True):
        """What axe, which the page has by now, finds; `colours` says whether these are looked at, which costs most."""
        chosen = {} if colours else {"color-contrast": {"enabled": False}}
        return self.driver.execute_async_script(RUN_AXE, COLOURS if colours_alone else RULES, chosen)

    def keep_picture(self, file, width):
        # Pictures further down load as they come into view.
        height = self.driver.execute_script(
            "for (const picture of document.images) picture.loading = 'eager';"
            "return document.documentElement.scrollHeight")
        self.driver.execute_async_script(
            "const done = arguments[0]; Promise.all([...document.images].map((picture) => picture.complete ? null :"
            "new Promise((ready) => { picture.onload = picture.onerror = ready; }))).then(() => done());")
        shot = self.driver.execute_cdp_cmd(
            "Page.captureScreenshot",
            {"format": "png", "captureBeyondViewport": True,
             "clip": {"x": 0, "y": 0, "width": width, "height": min(height, 4000), "scale": 1}})
        file.write_bytes(base64.b64decode(shot["data"]))
