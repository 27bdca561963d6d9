#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Zoom regions in a browser, against a market that runs:

    regions.py http://127.0.0.1:8080 --sheet SLUG --upload ID --author HANDLE --moderator HANDLE [--pictures FOLDER]

A visitor looks at a sheet in the viewer, by keys, mouse and touch, and without scripts. Its author draws, snaps, moves,
orders, drags and mends regions, by mouse, by finger and by keys alone, which the next version takes over, and mends an
upload that a moderator wants changed, and changes, too. Passwords are those of the tests. Ends with 0 when all of it
holds."""

import pathlib
import tempfile
import time

from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys

import scene as scenes
from browser import arguments, browsers, expect
from region_editor import author_works_by_keys, fields, focused, marks, order, press, said


def sign_in(browser, handle):
    browser.open("/login")
    browser.fill("login", handle)
    browser.fill("password", f"correct horse battery {handle}")
    browser.submit()
    browser.wait(lambda: not browser.path().startswith("/login"), f"{handle} signs in")


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
    for width in plain.each_width():
        plain.open(f"/sheets/{sheet}")
        plain.one("#page-1 [data-region] a").click()
        expect(plain.driver.current_url.endswith("#page-1-region-1"), "the list leads to the outline")
        where = plain.driver.execute_script(
            "const [one, other] = [1, 2].map((order) => document.getElementById(`page-1-region-${order}`));"
            "const box = one.getBoundingClientRect();"
            "const inView = box.top >= 0 && box.top < innerHeight - 40 && box.left >= 0 && box.right <= innerWidth;"
            "const looks = [one, other].map((mark) => [getComputedStyle(mark.querySelector('text')).visibility,"
            "  getComputedStyle(mark.querySelector('rect:not(.halo)')).fill]);"
            "return [inView, looks[0][0], looks[1][0], looks[0][1] !== looks[1][1]]")
        expect(where == [True, "visible", "hidden", True], f"which is in the window, and marked, at {width} px: {where}")
    expect(plain.one("#page-1 [data-open]").get_attribute("href").split("?")[0].endswith("preview"), "the picture leads to itself")


# The editor

# Where the first page of Lantern & Blade has the frame of its hit points: left, top, right, bottom, in percent.
PRINTED_BOX = (65.77, 21.59, 81.6, 27.26)
# Brings a place of the page into the middle of the window, and says where the page is then.
CENTRE = """
const [x, y] = arguments;
const [page, scroll] = ['[data-page]', '[data-scroll]'].map((name) => document.querySelector(name));
const place = () => page.getBoundingClientRect();
const frame = scroll.getBoundingClientRect();
scroll.scrollBy({left: place().left + place().width * x / 100 - frame.left - frame.width / 2,
  top: place().top + place().height * y / 100 - frame.top - frame.height / 2, behavior: 'instant'});
scrollBy({top: place().top + place().height * y / 100 - innerHeight / 2, behavior: 'instant'});
return place().toJSON();
"""


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


def newest(author):
    """The number of the region that was drawn last."""
    return marks(author)[-1].get_attribute("data-key")


def drags(author, start, end):
    """With the mouse from one place of the page to another, both in percent."""
    box = author.driver.execute_script(CENTRE, *((one + other) / 2 for one, other in zip(start, end)))

    def mouse(kind, place, **more):
        author.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {
            "type": kind, "x": box["x"] + box["width"] * place[0] / 100, "y": box["y"] + box["height"] * place[1] / 100,
            **more})

    mouse("mousePressed", start, button="left", clickCount=1)
    for part in (0.3, 0.6, 1):
        place = [one + (other - one) * part for one, other in zip(start, end)]
        mouse("mouseMoved", place, button="left", buttons=1)
    mouse("mouseReleased", end, button="left", clickCount=1)


def author_snaps(author):
    """An edge that is drawn near a printed line lies on it then; where one does not want that, it stays where it is."""
    left, top, right, bottom = PRINTED_BOX
    drawn = [left + 0.43, top + 0.43, right - 0.43, bottom - 0.43]
    for _ in range(2):
        author.one("[data-do=in]").click()
    for width in author.each_width():
        for does_snap, expected in ((True, PRINTED_BOX), (False, drawn)):
            if author.one("[data-snap]").is_selected() != does_snap:
                author.one("[data-snap]").click()
            author.one("[data-do=draw]").click()
            count = len(marks(author))
            drags(author, drawn[:2], drawn[2:])
            author.wait(lambda: len(marks(author)) == count + 1, f"a region is drawn at {width} px")
            left, top, wide, high = fields(author, newest(author), "x", "y", "width", "height")
            off = max(abs(is_at - wanted) for is_at, wanted in zip((left, top, left + wide, top + high), expected))
            what = "on the printed lines" if does_snap else "where the mouse was"
            expect(off < 0.2, f"it lies {what} at {width} px: {left}, {top}, {wide}, {high}; {expected}")
            author.one("[data-do=undo]").click()
    for name in ("select", "out", "out"):
        author.one(f"[data-do={name}]").click()


def author_moves_by_mouse(author):
    author.one("[data-snap]").click()
    key = newest(author)
    x, y, width, height = fields(author, key, "x", "y", "width", "height")
    middle = (x + width / 2, y + height / 2)
    drags(author, middle, (middle[0] + 4, middle[1] - 3))
    moved = fields(author, key, "x", "y", "width", "height")
    expect(max(abs(one - other) for one, other in zip(moved, (x + 4, y - 3, width, height))) < 0.2,
           f"the mouse moves a region: {moved}, {(x, y, width, height)}")
    drags(author, (moved[0] + width, moved[1] + height), (moved[0] + width - 2, moved[1] + height - 2))
    sized = fields(author, key, "x", "y", "width", "height")
    expect(abs(sized[2] - width + 2) < 0.2 and abs(sized[3] - height + 2) < 0.2, f"and resizes it at a corner: {sized}")


def author_orders_and_describes(author):
    """Kind and order of a region, and one that goes and comes back: by keys."""
    count, key = len(marks(author)), newest(author)
    row = f".region-rows li[data-row='{key}']"
    author.driver.execute_script("arguments[0].focus()", marks(author)[-1])
    press(author, Keys.ENTER)
    author.choose(f"kind-{key}", "skills")
    author.one(f"{row} [data-row-do=up]").send_keys(Keys.ENTER)
    expect(author.all(".region-rows li")[-2].get_attribute("data-row") == key, "a region is put before another")
    expect(f"is number {count - 1} now" in said(author), f"which is announced: {said(author)}")
    expect(focused(author, "element.dataset.rowDo") == "up", "and the focus stays")
    last = marks(author)[0]
    author.driver.execute_script("arguments[0].focus()", last)
    press(author, Keys.DELETE)
    expect(len(marks(author)) == count - 1 and "deleted" in said(author), f"a key deletes one: {said(author)}")
    press(author, Keys.CONTROL, "z", Keys.NULL)
    expect(len(marks(author)) == count and said(author) == "Undone.", f"and another brings it back: {said(author)}")
    author.driver.execute_script("arguments[0].focus()", author.one(f".region-mark[data-key='{key}']"))
    press(author, Keys.ENTER)


def touches(author, start, end):
    """With a finger from one place of the page to another, both in percent."""
    box = author.driver.execute_script(CENTRE, *((one + other) / 2 for one, other in zip(start, end)))
    way = [[box["x"] + box["width"] * (start[0] + (end[0] - start[0]) * part) / 100,
            box["y"] + box["height"] * (start[1] + (end[1] - start[1]) * part) / 100] for part in (0, 0.3, 0.6, 1)]
    touch(author, ("touchStart", way[0]), *(("touchMove", place) for place in way[1:]), ("touchEnd",))


def author_uses_a_finger(author):
    """On a phone a region is drawn, moved and resized by hand, too."""
    author.window(390)
    count = len(marks(author))
    author.one("[data-do=draw]").click()
    touches(author, (10, 60), (40, 75))
    author.wait(lambda: len(marks(author)) == count + 1, "a finger draws a region", 20)
    author.one("[data-do=select]").click()
    key = newest(author)
    drawn = fields(author, key, "x", "y", "width", "height")
    expect(max(abs(one - other) for one, other in zip(drawn, (10, 60, 30, 15))) < 0.6, f"where it was drawn: {drawn}")
    middle = (drawn[0] + drawn[2] / 2, drawn[1] + drawn[3] / 2)
    touches(author, middle, (middle[0] + 20, middle[1] - 10))
    moved = fields(author, key, "x", "y", "width", "height")
    expect(abs(moved[0] - drawn[0] - 20) < 0.6 and abs(moved[1] - drawn[1] + 10) < 0.6, f"a finger moves it: {moved}")
    corner = (moved[0] + moved[2], moved[1] + moved[3])
    touches(author, corner, (corner[0] - 8, corner[1] + 6))
    sized = fields(author, key, "x", "y", "width", "height")
    expect(abs(sized[2] - moved[2] + 8) < 0.6 and abs(sized[3] - moved[3] - 6) < 0.6, f"and resizes it: {sized}")
    for _ in range(3):
        author.one("[data-do=undo]").click()
    expect(len(marks(author)) == count, "and all of it is undone")
    author.window()


def author_drags_rows(author):
    """The list is put in order by its grips, too: with a mouse on a desk, with a finger on a phone."""
    for width in author.each_width():
        before = order(author)
        grip = ".region-rows li:nth-child({}) .grip".format
        author.driver.execute_script(
            "document.querySelector(arguments[0]).scrollIntoView({block: 'center', behavior: 'instant'})", grip(2))
        (x, start), (_, end) = (middle_of(author, grip(place)) for place in (1, 3))
        way = [start + (end + 8 - start) * part for part in (0.3, 0.6, 1)]
        if width > 640:
            drags_by_mouse(author, (x, start), [(x, y) for y in way])
            dragged = f".region-rows li[data-row='{before[0]}'] .grip"
            drags_by_mouse(author, middle_of(author, dragged), [(x, way[0]), (x, start)], is_taken_back=True)
        else:
            touch(author, ("touchStart", (x, start)), *(("touchMove", (x, y)) for y in way), ("touchEnd",))
        wanted = [before[1], before[2], before[0], *before[3:]]
        author.wait(lambda: order(author) == wanted, f"a row is dragged at {width} px: {order(author)}, {wanted}", 20)
        author.wait(lambda: "is number 3 now" in said(author), f"which is announced: {said(author)}", 20)
        number = author.one(f".region-mark[data-key='{before[0]}']").get_attribute("data-number")
        expect(number == "3", f"and seen on the page: {number}")
        author.one("[data-do=undo]").click()
        expect(order(author) == before and said(author) == "Undone.", f"and undone at {width} px: {order(author)}")


def saving_lies_on_top(author):
    """In a low window the button that saves stays in sight, before the rows that go on beneath it."""
    author.window(1280, 420)
    author.driver.execute_script(
        "document.querySelector('.region-side').scrollIntoView({block: 'start', behavior: 'instant'})")
    seen = author.driver.execute_script(
        "const end = document.querySelector('.region-end').getBoundingClientRect();"
        "return [...document.querySelectorAll('.region-rows .grip')].map((grip) => grip.getBoundingClientRect())"
        ".filter(({top, bottom}) => bottom > end.top && top < end.bottom)"
        ".map((box) => document.elementFromPoint(box.left + box.width / 2, Math.max(box.top, end.top) + 2))"
        ".map((one) => one?.closest('.region-end') !== null)")
    expect(seen and all(seen), f"no grip lies over what saves: {seen}")
    author.window()


def drags_by_mouse(author, start, way, is_taken_back=False):
    """From one place of the window to others; Escape, before the button is let go, puts the row back."""
    def mouse(kind, place, **more):
        author.driver.execute_cdp_cmd(
            "Input.dispatchMouseEvent", {"type": kind, "x": place[0], "y": place[1], "button": "left", **more})

    mouse("mousePressed", start, clickCount=1)
    for place in way:
        mouse("mouseMoved", place, buttons=1)
    if is_taken_back:
        press(author, Keys.ESCAPE)
    mouse("mouseReleased", way[-1], clickCount=1)


def author_splits_and_keeps_a_draft(author):
    count = len(marks(author))
    author.click("[data-do=below]")
    expect(len(marks(author)) == count + 1, "a region is split")
    author.click("[data-do=merge]")
    expect(len(marks(author)) == count, "and its parts merged")
    author.fill(author.one(".region-rows li.on [name^=scale-]").get_attribute("id"), "2.5")
    press(author, Keys.TAB)
    author.wait(
        lambda: "2.5" in author.driver.execute_script("return Object.values(localStorage).join()"), "a draft is kept")
    author.driver.refresh()
    author.wait(lambda: author.one("[data-draft]").is_displayed(), "what was not saved is still there")
    author.look("region-editor-draft")
    author.click("[data-draft-take]")
    expect(len(marks(author)) == count, "and taken up again")
    author.press("Save this page")
    expect("Saved." in author.text() and len(marks(author)) == count, "the regions are saved")
    described = [author.one(f".region-rows li:nth-last-child(2) [name^={name}-]").get_property("value")
                 for name in ("name", "kind", "scale")]
    expect(described == ["Drawn by hand", "skills", "2.5"], f"as they were described, in their order: {described}")
    expect(not author.one("[data-draft]").is_displayed(), "and no draft is left")
    author.click("[data-show-proposal]")
    expect(len(author.all(".region-proposed")) == count - 1, "the first proposal is shown beside them")


def unnamed_are_numbered(visitor, sheet):
    """Regions without a name are told apart by numbers: in the list, in the viewer, and where it is announced."""
    visitor.open(f"/sheets/{sheet}")
    chips = visitor.all("#page-1 [data-region] a")
    names = [chip.get_property("textContent") for chip in chips]
    unnamed = [name for name in names if name.startswith("Region ")]
    wanted = [f"Region {number}" for number in range(1, len(unnamed) + 1)]
    expect(len(unnamed) >= 2 and unnamed == wanted, f"chips have numbers: {names}")
    expect("By keys" in names, f"beside names: {names}")
    place = names.index("Region 2")
    visitor.driver.execute_script("arguments[0].focus()", chips[place])
    press(visitor, Keys.ENTER)
    visitor.wait(lambda: visitor.all("dialog[open]"), "the viewer opens at it")
    expect(said(visitor).startswith(f"Region 2, region {place + 1} of {len(names)}"), f"and says which: {said(visitor)}")
    listed = [entry.get_property("textContent") for entry in visitor.all("dialog [data-list] button")]
    expect(listed == names, f"its list has the same: {listed}")
    visitor.escape()


def next_version_takes_over(plain, moderator, sheet):
    """What was corrected need not be corrected again: the next version has it, where its pages look the same."""
    plain.open(f"/sheets/{sheet}")
    plain.follow("Upload a new version")
    numbers = plain.one("#version-hint").text
    expect("1.0.1: " in numbers and "2.0.0: " in numbers, f"next numbers are told without scripts: {numbers}")
    plain.click("input[name=license][value='']")
    option = plain.one("#otherLicense optgroup option")
    licence, label = option.get_attribute("value"), option.text.split(": ")[0]
    plain.choose("otherLicense", licence)
    with tempfile.TemporaryDirectory(prefix="sm-next-") as folder:
        file = pathlib.Path(folder) / "next.pdf"
        file.write_bytes(scenes.stamped("lantern-and-blade", scenes.NEW_BOXES))
        plain.one("#file").send_keys(str(file))
        plain.submit("form[data-upload]")
    plain.wait(
        lambda: plain.driver.refresh() or "Waiting for a moderator" in plain.text(), "the next version is read",
        seconds=600)
    expect("Corrected zoom regions were kept" in plain.text(), f"it is told: {plain.text()}")
    names = [chip.text for chip in plain.all("#page-1 [data-region]")]
    expect("Drawn by hand" in names, f"and its page has what was drawn: {names}")
    moderator.open(plain.path())
    moderator.follow("Open the case")
    told = moderator.text()
    expect(licence in told or label in told, f"the licence is the other one that was chosen: {licence}, {label}")


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
    moderator.run_scripts(False)
    moderator.driver.refresh()
    renames_the_first(moderator, "Mended again")
    author.driver.refresh()
    expect("Mended again" in author.text(), "which the author finds")


def renames_the_first(person, name):
    """By the fields alone."""
    person.one(".region-rows li:first-child summary").click()
    person.fill(person.one(".region-rows li:first-child [name^=name-]").get_attribute("id"), name)
    person.press("Save this page")
    expect("Saved." in person.text() and name in person.text(), f"the region is called {name}: {person.text()}")


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
        author_moves_by_mouse(author)
        author_snaps(author)
        author_uses_a_finger(author)
        author_orders_and_describes(author)
        author_drags_rows(author)
        saving_lies_on_top(author)
        author_splits_and_keeps_a_draft(author)
        author_works_by_keys(author, options.sheet)
        unnamed_are_numbered(visitor, options.sheet)
        author_mends_an_upload(author, moderator, options.upload)
        plain_browser_corrects(plain, options.author, options.sheet)
        next_version_takes_over(plain, moderator, options.sheet)


if __name__ == "__main__":
    main()
