#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every page of the market in a browser, against one that runs with its example sheets:

    pages.py http://127.0.0.1:8080 --program PATH/sheetmarket --data FOLDER [--pictures FOLDER]

Looks at what an operator sees first, furnishes the market (scene.py), and looks at each page (sitemap.py) as whom it is
for, as narrow as a phone of 320 px, which is a window of 1280 px magnified four times: axe finds nothing in either theme
(WCAG 2.2 AA), the focus goes as one reads, nothing is cut off, nothing moves while the page loads, nothing comes from
elsewhere, and nothing stands inline. Also what can be opened on it, the viewer, the region editor, the second step, and
what is said of mistakes. Then each page in German in windows of three widths. Ends with 0 when all holds."""

import contextlib
import pathlib
import re
import subprocess
import sys
import tempfile

import scene as scenes
import sitemap
from browser import AXE, Browser, arguments, browsers, expect
from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys

# Four times nearer, a window of 1280 by 1024 pixels is one of 320 by 256.
NARROW, LOW, HIGH = 320, 256, 900
# What looks as another page does.
ALIKE = {"audit"}
# What is full of things to press: where Tab really leads is compared with what stands there.
TABBED = {"sheet", "case-update", "upload", "regions", "viewer"}
# What is written for programmers is English.
ENGLISH = {"api", "api-group", "api-call", "api-shapes", "api-shape", "problems", "problem"}
# What other sites show has no reader of its own.
ELSEWHERE = {"card"}
# The cookie that remembers the language that was chosen.
LANGUAGE = "sheetmarket_language"
# What is also read by a slow browser, which would paint while it still parses, or before scripts have run: short pages, and
# tables that later rows widen.
SLOW = {"home-none", "collections", "forgot-password", "copyright-claims", "team-games", "upload", "queue-none"}
TIMES_SLOWER = 10
LARGEST_FIRST_PAGE = 100_000
LARGEST_EDITOR = 40_000
LARGEST_SHIFT = 0.001

# What takes the focus, in the order in which Tab should come to it.
STOPS = """
const root = document.querySelector('dialog[open]') ?? document;
const all = [...root.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
  .filter((one) => one.checkVisibility({visibilityProperty: true}) && !one.disabled && one.tabIndex >= 0
    && one.getClientRects().length);
function name(one) { return (one.textContent.trim() || one.ariaLabel || one.id || one.name).slice(0, 40); }
"""

# What takes the focus although it stands above what took it just before, or left of it. Of the two parts of the page
# that they are in, the boxes are compared: so what is in a card is read before what is in the next one. The columns of
# a page are read one by one, and regions in the order of their numbers, which on a sheet of columns goes up again.
BACKWARD = STOPS + """
const bad = [...root.querySelectorAll('[tabindex]')].filter((one) => one.tabIndex > 0).map((one) => one.outerHTML);
// What lies over the page, or keeps to an edge of the window, is read by itself.
const layer = (one) => !one || ['fixed', 'sticky'].includes(getComputedStyle(one).position) ? one
  : layer(one.parentElement);
const path = (one) => one === root || !one ? [] : [...path(one.parentElement), one];
const shown = (part, one) => part?.getClientRects().length ? part : one;
all.filter((one) => !one.closest('.skip')).forEach((one, place, stops) => {
  const last = stops[place - 1];
  if (!last || last.contains(one) || layer(last) !== layer(one)) return;
  const [ways, others] = [path(last), path(one)];
  const fork = ways.findIndex((part, depth) => part !== others[depth]);
  if (ways[fork]?.parentElement.matches('.split, .region-board, .region-page')) return;
  const [was, is] = [shown(ways[fork], last), shown(others[fork], one)].map((part) => part.getBoundingClientRect());
  const shared = Math.min(was.bottom, is.bottom) - Math.max(was.top, is.top);
  if (is.bottom <= was.top + 1) bad.push(`${name(one)} comes after ${name(last)}, which stands below it`);
  else if (shared > Math.min(was.height, is.height) / 2 && is.right <= was.left + 1)
    bad.push(`${name(one)} comes after ${name(last)}, which stands right of it`);
});
return bad.slice(0, 4);
"""

# Where Tab leads from here on.
WALK = "window.walked = []; addEventListener('focusin', ({target}) => walked.push(target), true);"
# What Tab did not come to when it was its turn; of radio buttons of one name it comes to one.
ASTRAY = STOPS + """
const stops = all.filter((one) => one.type !== 'radio' || (one.checked
  || !document.querySelector(`input[type=radio][name="${one.name}"]:checked`)
    && one === document.querySelector(`input[type=radio][name="${one.name}"]`)));
const ways = walked.filter((one, place) => one !== walked[place - 1]);
const first = Math.max(stops.indexOf(ways[0]), 0);
const wrong = stops.findIndex((_, place) => ways[place] !== stops[(first + place) % stops.length]);
return wrong < 0 ? [] : [`stop ${wrong + 1} of ${stops.length} is ${ways[wrong] ? name(ways[wrong]) : 'none'}, and not `
  + name(stops[(first + wrong) % stops.length])];
"""

SHIFTS = """
return new Promise((done) => {
  let shift = 0;
  const moved = new Set();
  new PerformanceObserver((list) => {
    for (const {value, sources} of list.getEntries()) {
      shift += value;
      for (const {node} of sources) moved.add((node?.outerHTML ?? node?.textContent ?? '').slice(0, 80));
    }
  }).observe({type: 'layout-shift', buffered: true});
  requestAnimationFrame(() => setTimeout(() => done([shift, [...moved].join('; ')]), arguments[0]));
});
"""

# Opens all that can be opened in its place. The filters, which lie over the page on a phone, are a page by themselves.
UNFOLD = "document.querySelectorAll('main details:not(.filters)').forEach((one) => { one.open = true; })"

FOREIGN = """
return performance.getEntriesByType('resource').map(({name}) => name).filter((name) => !name.startsWith(location.origin)
  && !name.startsWith('data:'));
"""

# Sizes of what a page is made of, pictures left out, as they come over the wire. What the service worker fetches, once
# the page is there, to have it when there is no network, is no part of it.
WEIGHT = """
return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  .filter(({initiatorType, name}) => initiatorType !== 'img' && !/\\.(png|svg|ico)|preview/.test(name))
  .reduce((sum, {encodedBodySize}) => sum + encodedBodySize, 0);
"""

INLINE = re.compile(r"<script(?![^>]*\bsrc=)(?![^>]*application/ld\+json)|<style|\sstyle=\"|\son[a-z]+=\"", re.I)


def theme(browser, scheme):
    browser.driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": scheme},
                      {"name": "prefers-reduced-motion", "value": "reduce"}]})


def complain(browser, name, what, lines):
    browser.complaints += [f"{name}, {what}: {line}" for line in lines]


def judge(browser, name):
    """What axe says of the page with all that unfolds on it, and how the focus goes and how wide it is."""
    browser.driver.execute_script(UNFOLD)
    for scheme in ("light", "dark"):
        theme(browser, scheme)
        complain(browser, name, f"axe, {scheme}", browser.axe(scheme == "dark"))
    is_in_place(browser, name)
    Browser.looked_at.append(name)


def is_in_place(browser, name):
    complain(browser, name, "focus", browser.driver.execute_script(BACKWARD))
    wide = browser.driver.execute_script(
        "return document.documentElement.scrollWidth - document.documentElement.clientWidth")
    if wide > 0:
        complain(browser, name, "width", [f"{wide} px wider than the window"])


def keeps_still(browser, name, milliseconds=0):
    """Nothing moves while the page loads, and some time after."""
    shift, moved = browser.driver.execute_script(SHIFTS, milliseconds)
    if shift > LARGEST_SHIFT:
        complain(browser, name, "shift", [f"it moves by {shift:.4f} while it loads: {moved}"])


def goes_on_by_tab(browser, name):
    """Tab really comes to all that stands there, in its order."""
    browser.driver.execute_script(WALK)
    count = browser.driver.execute_script(STOPS + "return all.length")
    # Some more for what Tab comes to within a field, such as that of a date.
    ActionChains(browser.driver, duration=0).send_keys(Keys.TAB * (count + 6)).perform()
    complain(browser, name, "Tab", browser.driver.execute_script(ASTRAY))


def visit(browser, name, path):
    """Opens a page and judges all of it."""
    browser.open(path)
    keeps_still(browser, path)
    for address in browser.driver.execute_script(FOREIGN):
        browser.complaints.append(f"{path}: asks another host: {address}")
    source = browser.driver.execute_async_script(
        "const done = arguments[0]; fetch(location.href).then((answer) => answer.text()).then(done, () => done(''))")
    for found in INLINE.findall(source):
        browser.complaints.append(f"{path}: stands inline: {found}")
    if name in TABBED:
        goes_on_by_tab(browser, path)
    judge(browser, path)


@contextlib.contextmanager
def slowed(browser, rate):
    """The browser has so many times less of the processor."""
    browser.driver.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": rate})
    try:
        yield
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": 1})


def visit_in_german(browser, page, path, told):
    """Opens a page as who reads German has it, in three windows; `told` is what is wrong on it, in English."""
    rate = TIMES_SLOWER if page in SLOW else 1
    for width, height in ((1280, HIGH), (390, HIGH), (NARROW, LOW)):
        browser.window(width, height)
        name = f"{path} in German, {width} px"
        if width != NARROW:
            with slowed(browser, rate):
                browser.open(path)
                keeps_still(browser, name, 300)
            browser.driver.execute_script(UNFOLD)
        else:
            complain(browser, name, "axe", browser.axe(colours=False))
        is_in_place(browser, name)
    tongue = browser.one("html").get_attribute("lang")
    expect(tongue == "de", f"{path} is in German, not in {tongue!r}")
    english = told & mistakes(browser)
    expect(not english, f"{path} says in German what is wrong: {english}")
    Browser.looked_at.append(f"{path} in German")


def sign_in(browser, handle):
    browser.open("/login")
    browser.fill("login", handle)
    browser.fill("password", scenes.password(handle))
    browser.submit()
    browser.wait(lambda: not browser.path().startswith("/login"), f"{handle} signs in")


def weighs(visitor):
    """The first page of a browser that has nothing yet."""
    visitor.open("/")
    weight = visitor.driver.execute_script(WEIGHT)
    expect(20_000 < weight < LARGEST_FIRST_PAGE, f"the first page has {weight} bytes without its pictures")


def opens(browser, scene, walk):
    """What opens on the pages, and the viewer in a low window and in a high one; gives what was said of mistakes."""
    told = {}
    for whose, name, page, open_it in sitemap.STATES:
        if whose is not walk:
            continue
        browser.open(walk(scene).get(page, page))
        open_it(browser)
        if name in TABBED:
            goes_on_by_tab(browser, name)
        judge(browser, name)
        if name == "viewer":
            browser.window(NARROW, HIGH)
            judge(browser, "viewer in a high window")
            browser.window(NARROW, LOW)
        if name in sitemap.MISTAKES:
            told[name] = mistakes(browser)
            expect(told[name], f"{name} says what is wrong")
    return told


def mistakes(browser):
    return {told.text for told in browser.all("main .mistake, main [role=alert], main .empty h1 + p") if told.text}


def opens_in_german(browser, scene, walk, told):
    """Each mistake is told in German, too."""
    for whose, name, page, open_it in sitemap.STATES:
        if whose is walk and name in told:
            browser.open(walk(scene)[page])
            open_it(browser)
            complain(browser, f"{name} in German", "axe", browser.axe(colours=False))
            is_in_place(browser, f"{name} in German")
            english = told[name] & mistakes(browser)
            expect(not english, f"{name} is told in German: {english}")


def reads_german(browser, is_read):
    """Whether the pages that follow come in German."""
    browser.driver.delete_cookie(LANGUAGE)
    if is_read:
        browser.driver.add_cookie({"name": LANGUAGE, "value": "de", "path": "/"})


def weighs_editor(author):
    weight = author.driver.execute_script(
        "return performance.getEntriesByType('resource')"
        ".filter(({name}) => /\\/(region|line|row)-[a-z-]+\\.(js|css)/.test(name))"
        ".reduce((sum, {encodedBodySize, decodedBodySize}) => sum + (encodedBodySize || decodedBodySize), 0)")
    expect(5_000 < weight < LARGEST_EDITOR, f"the region editor has {weight} bytes")


def begins(operator, data):
    """The pages of an operator whose market has nothing but its examples."""
    visit(operator, "operator-sign-in", scenes.sign_in_link(operator.base, data))
    operator.press("Sign in as admin")
    for path, what in (("/", ".first-steps"), ("/moderation", "#alone")):
        visit(operator, "first-steps", path)
        expect(operator.all(what), f"{path} tells what to do first")
    operator.driver.delete_all_cookies()


def is_photographed(options):
    """For the documents: what is asked for, while pictures of what is no page any more go."""
    with tempfile.TemporaryDirectory(prefix="sm-pictures-") as folder:
        pictures = pathlib.Path(folder)
        for name in ("gone-wide-light", "help-wide-light"):
            (pictures / f"{name}.webp").touch()
        subprocess.run(
            [sys.executable, pathlib.Path(__file__).with_name("screenshots.py"), "--program", options.program, "--at",
             options.base, "--data", options.data, "--into", folder, "--only", "about"], check=True)
        left = {file.stem for file in pictures.iterdir()}
        made = {f"about-{window}-{scheme}" for window in ("wide", "narrow") for scheme in ("light", "dark")}
        expect(left == made | {"help-wide-light"}, f"pictures are taken, and stale ones removed: {left}")


def main():
    options = arguments(__doc__, "--program", "--data")
    with browsers(options) as browser:
        # One browser for all of them: starting one costs as much as five pages.
        person = browser("everybody")
        # Each page brings axe along: sending it each time would cost more than what it does.
        person.driver.execute_cdp_cmd(
            "Page.addScriptToEvaluateOnNewDocument", {"source": AXE.read_text(encoding="utf-8")})
        weighs(person)
        person.window(NARROW, LOW)
        begins(person, options.data)
        scene = scenes.furnish(options.base, options.program, options.data)
        scene.be_visited()
        for walk, handle in sitemap.PEOPLE:
            if handle:
                person.driver.delete_all_cookies()
                sign_in(person, handle)
            told = {}
            for name, path in walk(scene).items():
                if name not in ALIKE:
                    visit(person, name, path)
                    told[name] = mistakes(person)
                if name == "regions":
                    weighs_editor(person)
            reads_german(person, True)
            for name, path in walk(scene).items():
                if name not in ALIKE | ENGLISH | ELSEWHERE:
                    visit_in_german(person, name, path, told[name])
            reads_german(person, False)
            told = opens(person, scene, walk)
            reads_german(person, True)
            opens_in_german(person, scene, walk, told)
            reads_german(person, False)
    is_photographed(options)


if __name__ == "__main__":
    main()
