#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Zoom regions in a browser, against a market that runs:

    regions.py http://127.0.0.1:8080 --sheet SLUG --upload ID --author HANDLE --moderator HANDLE [--pictures FOLDER]

A visitor looks at a sheet in the viewer, by keys, mouse and touch, and without scripts. Its author draws and mends
regions, and mends an upload that a moderator wants changed. Passwords are those of the tests. Ends with 0 when all of it
holds."""

import time

from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys

from browser import arguments, browsers, expect


def sign_in(browser, handle):
    browser.open("/login")
    browser.fill("login", handle)
    browser.fill("password", f"correct horse battery {handle}")
    browser.submit()
    browser.wait(lambda: not browser.path().startswith("/login"), f"{handle} signs in")


def press(browser, *keys):
    browser.driver.switch_to.active_element.send_keys(*keys)


def focused(browser, script):
    """What a script says of the element that has the focus."""
    return browser.driver.execute_script(f"return ((element) => {script})(document.activeElement)")


def said(browser):
    return browser.one("[data-said]").get_property("textContent")


def percent(browser):
    return int(browser.one("[data-percent]").get_property("textContent").split()[0])


def middle_of(browser, selector):
    """In pixels of the window."""
    return browser.driver.execute_script(
        "const r = document.querySelector(arguments[0]).getBoundingClientRect();"
        "return [r.x + r.width / 2, r.y + r.height / 2]", selector)


def touch(browser, *steps):
    """Fingers as the screen feels them: of each step the kind and where each finger is."""
    for kind, *fingers in steps:
        browser.driver.execute_cdp_cmd(
            "Input.dispatchTouchEvent",
            {"type": kind, "touchPoints": [{"x": x, "y": y, "id": place} for place, (x, y) in enumerate(fingers)]})


# The viewer


def visitor_goes_by_keys(visitor, sheet):
    visitor.open(f"/sheets/{sheet}")
    chip = visitor.one("#page-1 [data-region] a")
    visitor.driver.execute_script("arguments[0].focus()", chip)
    press(visitor, Keys.ENTER)
    visitor.wait(lambda: visitor.all("dialog[open]"), "the viewer opens at a region")
    name = chip.get_property("textContent")
    expect(said(visitor).startswith(f"{name}, region 1 of"), f"it says which: {said(visitor)}")
    expect(percent(visitor) > 100, "the region is magnified")
    visitor.look("viewer")
    press(visitor, Keys.PAGE_DOWN)
    expect("region 2 of" in said(visitor), f"the next region follows: {said(visitor)}")
    press(visitor, "0")
    expect("whole" in said(visitor) and percent(visitor) == 100, f"0 shows the whole page: {said(visitor)}")
    press(visitor, Keys.ARROW_RIGHT)
    expect("region 1 of" in said(visitor), "an arrow goes on where there is nothing to move")
    for _ in range(6):
        press(visitor, "+")
    expect(percent(visitor) == 500, f"five times is the most: {percent(visitor)}")
    before = visitor.one("[data-sheet]").get_attribute("style")
    press(visitor, Keys.ARROW_DOWN)
    expect(visitor.one("[data-sheet]").get_attribute("style") != before, "arrows move a magnified page")
    for _ in range(6):
        press(visitor, "-")
    expect(percent(visitor) == 100, "the whole page is the least")
    hidden = visitor.driver.execute_script(
        "return [...document.querySelectorAll('dialog [data-do]')].filter((button) => {"
        "const r = button.getBoundingClientRect(); return r.top < 0 || r.bottom > innerHeight; }).length")
    expect(hidden == 0, "all controls are in view")
    visitor.escape()
    visitor.wait(lambda: not visitor.all("dialog[open]"), "Escape closes the viewer")
    expect(focused(visitor, "element.textContent") == name, "and the focus is where it was")


def visitor_goes_by_hand(visitor, sheet):
    visitor.open(f"/sheets/{sheet}")
    visitor.click("#page-1 [data-region] a")
    frame = visitor.one("[data-frame]")
    style = visitor.one("[data-sheet]").get_attribute("style")
    ActionChains(visitor.driver).drag_and_drop_by_offset(frame, -60, -40).perform()
    expect(visitor.one("[data-sheet]").get_attribute("style") != style, "the mouse drags the page")
    middle = middle_of(visitor, "[data-frame]")
    near = percent(visitor)
    visitor.driver.execute_cdp_cmd(
        "Input.dispatchMouseEvent",
        {"type": "mouseWheel", "x": middle[0], "y": middle[1], "deltaX": 0, "deltaY": -200})
    visitor.wait(lambda: percent(visitor) > near, "the wheel magnifies")
    visitor.click("[data-do=whole]")
    x, y = middle
    touch(visitor, ("touchStart", (x - 20, y), (x + 20, y)), ("touchMove", (x - 30, y), (x + 30, y)),
          ("touchMove", (x - 60, y), (x + 60, y)), ("touchEnd",))
    visitor.wait(lambda: percent(visitor) > 200, "two fingers magnify")
    visitor.click("[data-do=whole]")
    region = middle_of(visitor, "dialog g[data-place='0'] rect")
    for _ in range(2):
        touch(visitor, ("touchStart", region), ("touchEnd",))
    visitor.wait(lambda: "region 1 of" in said(visitor), "a double tap goes to the region under it")
    time.sleep(0.4)
    region = middle_of(visitor, "dialog g[data-place='0'] rect")
    for _ in range(2):
        touch(visitor, ("touchStart", region), ("touchEnd",))
    visitor.wait(lambda: "whole" in said(visitor), "and another leads back")
    visitor.click("[data-thumbnails] li:last-child button")
    expect(said(visitor).startswith("Page 2"), f"a thumbnail leads to its page: {said(visitor)}")
    visitor.click("[data-do=close]")


def plain_browser_follows_links(plain, sheet):
    plain.open(f"/sheets/{sheet}")
    plain.click("#page-1 [data-region] a")
    expect(plain.driver.current_url.endswith("#page-1-region-1"), "the list leads to the outline")
    expect(plain.one("#page-1 [data-open]").get_attribute("href").split("?")[0].endswith("preview"), "the picture leads to itself")


# The editor


def marks(browser):
    return browser.all(".region-mark")


def author_draws(author, sheet):
    author.open(f"/sheets/{sheet}/manage")
    author.follow("Zoom regions of")
    author.look("region-editor")
    count = len(marks(author))
    author.click("[data-do=draw]")
    author.driver.execute_script("arguments[0].scrollIntoView({block: 'start'})", author.one("[data-scroll]"))
    page = author.one("[data-page]")
    chain = ActionChains(author.driver).move_to_element_with_offset(page, 0, -100).click_and_hold()
    chain.move_by_offset(90, 60).move_by_offset(30, 20).release().perform()
    author.wait(lambda: len(marks(author)) == count + 1, "a region is drawn")
    author.click("[data-do=select]")
    author.click("[data-do=undo]")
    expect(len(marks(author)) == count, "undone")
    author.click("[data-do=redo]")
    expect(len(marks(author)) == count + 1, "and done again")
    author.driver.execute_script("arguments[0].focus()", marks(author)[-1])
    press(author, Keys.ENTER)
    expect(focused(author, "element.name").startswith("name-"), "Enter leads to the fields")
    press(author, "Drawn by hand", Keys.TAB)
    author.driver.execute_script("arguments[0].focus()", marks(author)[-1])
    width = author.one(".region-rows li.on [name^=width-]").get_property("value")
    press(author, Keys.SHIFT, Keys.ARROW_RIGHT, Keys.NULL)
    after = author.one(".region-rows li.on [name^=width-]").get_property("value")
    expect(abs(float(after) - float(width) - 0.5) < 0.02, f"keys resize it: {width}, {after}")
    author.look("region-editor-chosen")


def author_splits_and_keeps_a_draft(author):
    count = len(marks(author))
    author.click("[data-do=below]")
    expect(len(marks(author)) == count + 1, "a region is split")
    author.click("[data-do=merge]")
    expect(len(marks(author)) == count, "and its parts merged")
    time.sleep(0.5)
    author.driver.refresh()
    author.wait(lambda: author.one("[data-draft]").is_displayed(), "what was not saved is still there")
    author.look("region-editor-draft")
    author.click("[data-draft-take]")
    expect(len(marks(author)) == count, "and taken up again")
    author.press("Save this page")
    expect("Saved." in author.text() and len(marks(author)) == count, "the regions are saved")
    expect(not author.one("[data-draft]").is_displayed(), "and no draft is left")
    author.click("[data-show-proposal]")
    expect(len(author.all(".region-proposed")) == count - 1, "the first proposal is shown beside them")


def author_mends_an_upload(author, moderator, upload):
    author.open(f"/submissions/{upload}")
    author.follow("Correct the zoom regions")
    author.look("region-editor-wanted")
    author.one(".region-rows summary").click()
    field = author.one(".region-rows li:first-child [name^=name-]")
    field.clear()
    field.send_keys("Mended")
    author.press("Save, and send the upload back")
    expect(author.path() == f"/submissions/{upload}" and "Waiting for a moderator" in author.text(), author.text())
    author.follow("Correct the zoom regions")
    moderator.open(f"/submissions/{upload}")
    moderator.follow("Open the case")
    expect("Mended" in moderator.text(), "the moderator sees what was mended")
    moderator.follow("Correct the zoom regions")
    moderator.look("region-editor-moderator")
    expect("recorded" in moderator.text(), "and is told that their changes are recorded")


def plain_browser_corrects(plain, handle, sheet):
    sign_in(plain, handle)
    plain.open(f"/sheets/{sheet}/versions/1.0.0/regions?page=2")
    plain.one(".region-rows li:last-child summary").click()
    row = plain.one(".region-rows li:last-child").get_attribute("data-row")
    for name, text in (("name", "By numbers"), ("x", "5"), ("y", "5"), ("width", "20"), ("height", "95.5")):
        plain.fill(f"{name}-{row}", text)
    plain.press("Save this page")
    expect("It must end on the page." in plain.text(), "what is wrong is said")
    plain.fill(f"height-{row}", "10")
    plain.press("Save this page")
    expect("By numbers" in plain.text() and "Saved." in plain.text(), "the form alone corrects regions")


def main():
    options = arguments(__doc__, "--sheet", "--upload", "--author", "--moderator")
    with browsers(options) as browser:
        visitor, author, moderator, plain = (
            browser("visitor"), browser("author"), browser("moderator"), browser("plain", scripts=False))
        visitor_goes_by_keys(visitor, options.sheet)
        visitor_goes_by_hand(visitor, options.sheet)
        plain_browser_follows_links(plain, options.sheet)
        sign_in(author, options.author)
        sign_in(moderator, options.moderator)
        author_draws(author, options.sheet)
        author_splits_and_keeps_a_draft(author)
        author_mends_an_upload(author, moderator, options.upload)
        plain_browser_corrects(plain, options.author, options.sheet)


if __name__ == "__main__":
    main()
