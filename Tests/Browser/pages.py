#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every page of the market in a browser, against one that runs with its example sheets:

    pages.py http://127.0.0.1:8080 --program PATH/sheetmarket --data FOLDER [--pictures FOLDER]

Looks at what an operator sees first, furnishes the market (scene.py), and looks at each page (sitemap.py) as whom it is
for, as narrow as a phone of 320 px, which is a window of 1280 px magnified four times: axe finds nothing in either theme
(WCAG 2.2 AA), the focus goes as one reads, nothing is cut off, nothing moves while the page loads, nothing comes from
elsewhere, and nothing stands inline. Also the opened viewer, the region editor, the second step and what opens. Ends
with 0 when all holds."""

import re

import scene as scenes
import sitemap
from browser import AXE, Browser, arguments, browsers, expect

# Four times nearer, a window of 1280 by 1024 pixels is one of 320 by 256.
NARROW, LOW, HIGH = 320, 256, 900
# What looks as another page does.
ALIKE = {"audit", "home-corrected", "sheet-signed-in"}
LARGEST_FIRST_PAGE = 100_000
LARGEST_EDITOR = 40_000
LARGEST_SHIFT = 0.001

RUN_AXE = """
const [rules, done] = arguments;
axe.run(document, {resultTypes: ['violations'], runOnly: rules}).then(({violations}) => done(violations.map((found) =>
  `${found.id}: ${found.help}: ${found.nodes.slice(0, 4).map((node) => node.target).join('; ')}`)),
  (error) => done([String(error)]));
"""
EVERYTHING = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
# What another theme can change.
COLOURS = {"type": "rule", "values": ["color-contrast"]}

# What takes the focus although something that took it before stands wholly below.
BACKWARD = """
const root = document.querySelector('dialog[open]') ?? document;
const all = [...root.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
  .filter((one) => one.checkVisibility({visibilityProperty: true}) && !one.disabled && one.tabIndex >= 0
    && one.getClientRects().length && !one.closest('.skip') && getComputedStyle(one).position !== 'fixed');
const bad = [...root.querySelectorAll('[tabindex]')].filter((one) => one.tabIndex > 0).map((one) => one.outerHTML);
// What lies over the page is read by itself.
const layer = (one) => !one || getComputedStyle(one).position === 'fixed' ? one : layer(one.parentElement);
const lasts = new Map();
for (const one of all) {
  const last = lasts.get(layer(one));
  const box = one.getBoundingClientRect();
  const isBack = last && box.bottom <= last.box.top + 1;
  if (isBack && !one.matches('[type=radio]') && !one.closest('[data-page], .viewer-side'))
    bad.push(`${name(one)} comes after ${name(last.one)}, which stands below it`);
  lasts.set(layer(one), {one, box});
}
function name(one) { return (one.textContent.trim() || one.id || one.name).slice(0, 40); }
return bad.slice(0, 4);
"""

SHIFTS = """
return new Promise((done) => {
  let shift = 0;
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) shift += entry.value; })
    .observe({type: 'layout-shift', buffered: true});
  requestAnimationFrame(() => setTimeout(() => done(shift), 0));
});
"""

FOREIGN = """
return performance.getEntriesByType('resource').map(({name}) => name).filter((name) => !name.startsWith(location.origin)
  && !name.startsWith('data:'));
"""

# Sizes of what a page is made of, pictures left out, as they come over the wire.
WEIGHT = """
return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  .filter(({initiatorType}) => ['navigation', 'link', 'script', 'other'].includes(initiatorType))
  .filter(({name}) => !/\\.(png|svg|ico|webmanifest)|preview/.test(name))
  .reduce((sum, {encodedBodySize}) => sum + encodedBodySize, 0);
"""

INLINE = re.compile(r"<script(?![^>]*\bsrc=)(?![^>]*application/ld\+json)|<style|\sstyle=\"|\son[a-z]+=\"", re.I)


def theme(browser, scheme):
    browser.driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": scheme},
                      {"name": "prefers-reduced-motion", "value": "reduce"}]})


def judge(browser, name):
    """What axe and the focus say of the page as it is now."""
    def complain(what, lines):
        browser.complaints += [f"{name}, {what}: {line}" for line in lines]

    for scheme, rules in (("light", EVERYTHING), ("dark", COLOURS)):
        theme(browser, scheme)
        complain(f"axe, {scheme}", browser.driver.execute_async_script(RUN_AXE, rules))
    complain("focus", browser.driver.execute_script(BACKWARD))
    wide = browser.driver.execute_script(
        "return document.documentElement.scrollWidth - document.documentElement.clientWidth")
    if wide > 0:
        complain("width", [f"{wide} px wider than the window"])
    Browser.looked_at.append(name)


def visit(browser, path):
    """Opens a page and judges all of it."""
    browser.open(path)
    shift = browser.driver.execute_script(SHIFTS)
    if shift > LARGEST_SHIFT:
        browser.complaints.append(f"{path}: moves by {shift:.4f} while it loads")
    for address in browser.driver.execute_script(FOREIGN):
        browser.complaints.append(f"{path}: asks another host: {address}")
    source = browser.driver.execute_async_script(
        "const done = arguments[0]; fetch(location.href).then((answer) => answer.text()).then(done, () => done(''))")
    for found in INLINE.findall(source):
        browser.complaints.append(f"{path}: stands inline: {found}")
    judge(browser, path)


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
    """What opens on the pages, and the viewer in a low window and in a high one."""
    for whose, name, page, open_it in sitemap.STATES:
        if whose is not walk:
            continue
        browser.open(walk(scene).get(page, page))
        open_it(browser)
        judge(browser, name)
        if name == "viewer":
            browser.window(NARROW, HIGH)
            judge(browser, "viewer in a high window")
            browser.window(NARROW, LOW)


def weighs_editor(author):
    weight = author.driver.execute_script(
        "return performance.getEntriesByType('resource')"
        ".filter(({name}) => /\\/(region|line|row)-[a-z-]+\\.(js|css)/.test(name))"
        ".reduce((sum, {encodedBodySize, decodedBodySize}) => sum + (encodedBodySize || decodedBodySize), 0)")
    expect(5_000 < weight < LARGEST_EDITOR, f"the region editor has {weight} bytes")


def begins(operator, data):
    """The pages of an operator whose market has nothing but its examples."""
    visit(operator, scenes.sign_in_link(operator.base, data))
    operator.press("Sign in as admin")
    for path, what in (("/", ".first-steps"), ("/moderation", "#alone")):
        visit(operator, path)
        expect(operator.all(what), f"{path} tells what to do first")
    operator.driver.delete_all_cookies()


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
            for name, path in walk(scene).items():
                if name not in ALIKE:
                    visit(person, path)
                if name == "regions":
                    weighs_editor(person)
            opens(person, scene, walk)


if __name__ == "__main__":
    main()
