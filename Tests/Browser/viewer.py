#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The viewer that `sheets open --html` writes, from disk, with no market:

    viewer.py http://127.0.0.1:8080 --file FILE [--pictures FOLDER]

Somebody goes through the regions by keys and by mouse, and hears where they are; nothing is asked of anybody. Ends with 0
when all of it holds."""

import pathlib

from selenium.webdriver.common.keys import Keys

from browser import arguments, browsers, expect

options = arguments(__doc__, "--file")
file = pathlib.Path(options.file).resolve()


def zoom(browser):
    return float(browser.driver.execute_script(
        "return getComputedStyle(document.documentElement).getPropertyValue('--zoom')"))


def said(browser):
    return browser.one("#said").get_property("textContent")


def press(browser, key):
    browser.driver.switch_to.active_element.send_keys(key)


def seen(browser):
    """The region that is marked, and how much of it is on the screen."""
    return browser.driver.execute_script(
        "const r = document.querySelector('[aria-current]').getBoundingClientRect();"
        "const s = document.getElementById('stage').getBoundingClientRect();"
        "const part = (a, b, c, d) => Math.max(0, Math.min(b, d) - Math.max(a, c)) / (b - a);"
        "return [document.querySelector('[aria-current]').getAttribute('aria-label'),"
        "part(r.left, r.right, s.left, s.right) * part(r.top, r.bottom, s.top, s.bottom)]")


with browsers(options) as browser:
    reader = browser("reader")
    reader.driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]})
    reader.base = ""
    reader.open(file.as_uri())
    expect(reader.pictures() and all(reader.is_loaded(source) for source in reader.pictures()), "pages are shown")
    expect(all(source.startswith("data:image/") for source in reader.pictures()), "pictures are in the file")
    regions = [region.get_attribute("aria-label") for region in reader.all(".region")]
    expect(len(regions) > 3 and " on page 1: " in regions[0], f"regions have sentences: {regions[:2]}")
    reader.driver.execute_script("document.getElementById('stage').focus()")
    press(reader, Keys.ARROW_RIGHT)
    expect(said(reader) == regions[0] and zoom(reader) > 1, f"the first region: {said(reader)}, {zoom(reader)}")
    for place in (1, 2):
        press(reader, Keys.ARROW_RIGHT)
        expect(said(reader) == regions[place], f"region {place + 1}: {said(reader)}")
        reader.wait(lambda: seen(reader)[1] > 0.9, f"it is on the screen: {seen(reader)}", 10)
    press(reader, Keys.ARROW_LEFT)
    expect(said(reader) == regions[1], f"back: {said(reader)}")
    before = zoom(reader)
    press(reader, "-")
    expect(zoom(reader) < before, "minus zooms out")
    press(reader, "+")
    expect(abs(zoom(reader) - before) < 0.01, "plus zooms in")
    reader.look("viewer-region")
    press(reader, Keys.ESCAPE)
    expect(zoom(reader) == 1 and not reader.all("[aria-current]"), "Escape shows the whole page")
    reader.driver.execute_script("document.querySelectorAll('.region')[3].click()")
    expect(said(reader) == regions[3] and seen(reader)[0] == regions[3], "a region that is clicked is zoomed into")
    press(reader, Keys.ESCAPE)
    reader.one("[data-do=previous]").click()
    expect("first region" in said(reader), f"before the first: {said(reader)}")
    reader.look("viewer")
    asked = reader.driver.execute_script("return performance.getEntriesByType('resource').map(each => each.name)")
    expect(all(name.startswith("data:") for name in asked), f"nothing is asked of anybody: {asked}")
    expect(file.stat().st_size < 4_000_000, f"the file is small: {file.stat().st_size}")
