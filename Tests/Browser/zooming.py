#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The viewer on a sheet's page, against a market with its examples:

    zooming.py http://127.0.0.1:8080 --sheet SLUG [--pictures FOLDER]

At 320, 390 and 1280 px somebody goes through pages and regions by buttons, the lists and keys alone, and hears where they
are; by touch they pinch, drag and tap twice. Outlines are seen on that sheet, and on a dark one. Ends with 0 when all
holds."""

import base64
import io

from PIL import Image
from selenium.webdriver.common.keys import Keys

from browser import arguments, browsers, expect


# Light ink on dark paper.
DARK = "rust-season"


def opens(person, sheet):
    person.open(f"/sheets/{sheet}")
    person.one("#page-1 [data-open]").send_keys(Keys.ENTER)
    person.wait(lambda: person.all("dialog[open]"), "the viewer opens", 20)
    expect(said(person).startswith("Page 1 of"), f"it begins with the whole page: {said(person)}")


def said(person):
    return person.one("dialog [data-said]").get_property("textContent")


def percent(person):
    return int(person.one("dialog [data-percent]").get_property("textContent").split()[0])


def press(person, key):
    person.driver.switch_to.active_element.send_keys(key)


def do(person, name):
    button = person.one(f"dialog [data-do={name}]")
    box = person.driver.execute_script(
        "const box = arguments[0].getBoundingClientRect();"
        "return box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth", button)
    expect(box, f"{name} stays in view")
    button.click()


def place(person):
    """Where the page lies in the window: left and top."""
    return person.driver.execute_script(
        "const box = document.querySelector('dialog [data-sheet]').getBoundingClientRect(); return [box.left, box.top]")


def goes_by_buttons(person, sheet):
    opens(person, sheet)
    seen = person.driver.execute_script(
        "return ['[data-thumbnails]', '[data-list]'].filter((list) => {"
        "  const box = document.querySelector(`dialog ${list} button`).getBoundingClientRect();"
        "  return box.width && box.left >= 0 && box.right <= innerWidth && box.top >= 0 && box.bottom <= innerHeight;"
        "}).length")
    expect(seen == 2, "pages and regions can be chosen at first sight")
    names = [entry.get_property("textContent") for entry in person.all("dialog [data-list] button")]
    expect(len(names) > 2 and len(set(names)) == len(names), f"each region has a name of its own: {names}")
    do(person, "next")
    expect(said(person).startswith(f"{names[0]}, region 1 of {len(names)}"), f"the next is a region: {said(person)}")
    expect(percent(person) > 100, "which is magnified")
    do(person, "next")
    do(person, "previous")
    expect(said(person).startswith(names[0]), f"and back: {said(person)}")
    do(person, "whole")
    expect(said(person).startswith("Page 1 of") and percent(person) == 100, f"the whole page: {said(person)}")
    person.all("dialog [data-list] button")[2].click()
    expect(said(person).startswith(names[2]), f"the list leads to a region: {said(person)}")
    expect(person.one("dialog [data-list] [aria-current]").get_property("textContent") == names[2], "and marks it")
    thumbnails = person.all("dialog [data-thumbnails] button")
    if len(thumbnails) > 1:
        thumbnails[1].click()
        expect(said(person).startswith("Page 2 of"), f"a small picture leads to its page: {said(person)}")
    do(person, "outlines")
    expect(person.one("dialog [data-do=outlines]").get_attribute("aria-pressed") == "false", "outlines go")
    do(person, "close")
    expect(not person.all("dialog[open]"), "it closes")


def goes_from_the_glance(person, sheet):
    """The small picture that a phone shows first opens the viewer."""
    person.open(f"/sheets/{sheet}")
    person.one("[data-glance]").click()
    person.wait(lambda: person.all("dialog[open]"), "the small picture opens the viewer", 20)
    expect(said(person).startswith("Page 1 of"), f"with the whole page: {said(person)}")
    do(person, "close")
    expect(person.driver.execute_script("return document.activeElement.matches('[data-glance]')"), "and back to it")


def goes_by_keys(person, sheet):
    person.open(f"/sheets/{sheet}")
    person.driver.execute_script("document.querySelector('#page-1 [data-open]').focus()")
    press(person, Keys.ENTER)
    person.wait(lambda: person.all("dialog[open]"), "Enter opens the viewer", 20)
    press(person, Keys.ARROW_RIGHT)
    first = said(person)
    expect("region 1 of" in first and percent(person) > 100, f"an arrow goes to the first region: {first}")
    press(person, Keys.PAGE_DOWN)
    expect("region 2 of" in said(person), f"page down to the next: {said(person)}")
    press(person, Keys.PAGE_UP)
    expect(said(person) == first, f"page up back: {said(person)}")
    press(person, "0")
    expect(percent(person) == 100, "0 shows the whole page")
    press(person, "+")
    press(person, "+")
    near = percent(person)
    expect(near > 200 and said(person) == f"{near} %", f"plus zooms in, and says so: {said(person)}")
    before = place(person)
    press(person, Keys.ARROW_RIGHT)
    person.wait(lambda: place(person)[0] < before[0] - 10, "near, an arrow moves the page", 10)
    press(person, "-")
    expect(percent(person) < near, "minus zooms out")
    press(person, Keys.ESCAPE)
    expect(not person.all("dialog[open]"), "Escape closes")
    expect(person.driver.execute_script("return document.activeElement.matches('#page-1 [data-open]')"),
           "and the focus is where it was")


def touch(person, kind, *fingers):
    person.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {
        "type": kind, "touchPoints": [{"x": x, "y": y, "id": place} for place, (x, y) in enumerate(fingers)]})


def goes_by_touch(person, sheet):
    person.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 2})
    opens(person, sheet)
    x, y = person.driver.execute_script(
        "const box = document.querySelector('dialog [data-frame]').getBoundingClientRect();"
        "return [box.left + box.width / 2, box.top + box.height / 2]")

    touch(person, "touchStart", (x - 20, y), (x + 20, y))
    for step in range(1, 5):
        touch(person, "touchMove", (x - 20 - 10 * step, y), (x + 20 + 10 * step, y))
    touch(person, "touchEnd")
    person.wait(lambda: 250 < percent(person) < 350, f"two fingers apart magnify three times: {percent(person)}", 10)

    before = place(person)
    touch(person, "touchStart", (x, y))
    for step in range(1, 5):
        touch(person, "touchMove", (x - 15 * step, y - 10 * step))
    touch(person, "touchEnd")
    moved = [now - then for now, then in zip(place(person), before)]
    expect(-75 < moved[0] < -40 and -55 < moved[1] < -20, f"one finger moves the page: {moved}")

    touch(person, "touchStart", (x - 60, y), (x + 60, y))
    for step in range(1, 5):
        touch(person, "touchMove", (x - 60 + 12 * step, y), (x + 60 - 12 * step, y))
    touch(person, "touchEnd")
    person.wait(lambda: percent(person) == 100, f"together they show the whole page again: {percent(person)}", 10)

    target = person.driver.execute_script(
        "const mark = document.querySelector('dialog [data-sheet] svg g rect').getBoundingClientRect();"
        "return [mark.left + mark.width / 2, mark.top + mark.height / 2]")
    touch(person, "touchStart", target)
    touch(person, "touchEnd")
    expect(percent(person) == 100, "a single tap changes nothing")
    for _ in range(2):
        touch(person, "touchStart", target)
        touch(person, "touchEnd")
    person.wait(lambda: ", region " in said(person) and percent(person) > 100,
                f"two taps go to the region: {said(person)}", 10)
    person.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})


def is_calm(person, sheet):
    """Nothing slides for whoever wants less motion; outlines are of two colours, so that one is seen on any ground."""
    opens(person, sheet)
    person.one("dialog [data-do=next]").click()
    slides = "return getComputedStyle(document.querySelector('dialog [data-sheet]')).transitionDuration"
    expect(person.driver.execute_script(slides) == "0s", "the page jumps where less motion is wanted")
    person.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    person.one("dialog [data-do=next]").click()
    expect(person.driver.execute_script(slides) != "0s", "and slides where it is not")
    ink = person.driver.execute_script(
        "return [...document.querySelectorAll('dialog [data-sheet] svg g:first-of-type rect')].map((line) =>"
        " getComputedStyle(line).stroke.match(/\\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0))")
    expect(len(ink) == 2 and max(ink) > 600 and min(ink) < 350, f"outlines have a light line and a dark one: {ink}")


def picture(person):
    """What the window shows now."""
    shot = person.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
    return Image.open(io.BytesIO(base64.b64decode(shot["data"]))).convert("RGB")


def luminance(colour):
    """As WCAG 2.2 defines it."""
    parts = [part / 255 / 12.92 if part / 255 <= 0.04045 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in colour]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def outlines_are_seen(person, sheet):
    """Along the sides of each outline, one of its points differs enough from what the page has there."""
    opens(person, sheet)
    boxes = person.driver.execute_script(
        "return [...document.querySelectorAll('dialog [data-sheet] svg g')].map((mark) => {"
        " const box = mark.querySelector('rect:not(.halo)').getBoundingClientRect();"
        " return [box.left, box.top, box.right, box.bottom]; })")
    outlined = picture(person)
    do(person, "outlines")
    plain = picture(person)
    do(person, "outlines")
    seen = []
    for left, top, right, bottom in boxes:
        for part in range(1, 20):
            y = int(top + (bottom - top) * part / 20)
            for side in (left, right):
                across = [(int(side) + off, y) for off in range(-4, 5) if 0 <= int(side) + off < outlined.width]
                seen.append(max(contrast(outlined.getpixel(place), plain.getpixel(place)) for place in across))
    enough = sum(value >= 3 for value in seen) / len(seen)
    expect(len(seen) > 100 and enough > 0.95, f"outlines are seen on {sheet}: {enough:.0%} of {len(seen)}, {min(seen):.1f}")
    do(person, "close")


def main():
    options = arguments(__doc__, "--sheet")
    with browsers(options) as browser:
        person = browser("reader")
        person.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]})
        for width in person.each_width():
            person.window(width, 800)
            goes_by_buttons(person, options.sheet)
            if width < 900:
                goes_from_the_glance(person, options.sheet)
            goes_by_keys(person, options.sheet)
            goes_by_touch(person, options.sheet)
        for sheet in (options.sheet, DARK):
            outlines_are_seen(person, sheet)
        is_calm(person, options.sheet)


if __name__ == "__main__":
    main()
