# SPDX-License-Identifier: Apache-2.0
"""What stories ask of the region editor, and an author who works in it by keys alone."""

from selenium.webdriver.common.keys import Keys

from browser import expect
from staff import focus


def press(browser, *keys):
    browser.driver.switch_to.active_element.send_keys(*keys)


def focused(browser, script):
    """What a script says of the element that has the focus."""
    return browser.driver.execute_script(f"return ((element) => {script})(document.activeElement)")


def said(browser):
    return browser.one("[data-said]").get_property("textContent")


def marks(browser):
    return browser.all(".region-mark")


def fields(author, key, *names):
    return [float(author.one(f"[name='{name}-{key}']").get_property("value")) for name in names]


def order(author):
    return [row.get_attribute("data-row") for row in author.all(".region-rows li")]


# The most that Tab may go on until it comes to what is looked for.
MOST_TABS = 160


def tab_to(author, name, back=False):
    """By Tab alone, seeing where one is; `back` with Shift. Says the whole name."""
    for _ in range(MOST_TABS):
        press(author, *((Keys.SHIFT, Keys.TAB) if back else (Keys.TAB,)))
        now = focus(author)
        expect(now["isSeen"] or not now["name"], f"the focus is seen on {now['name']!r}")
        if now["name"].startswith(name):
            return now["name"]
    expect(False, f"Tab comes to {name!r}; it is at {focus(author)['name']!r}")


def hears(author, words, what):
    expect(words in said(author), f"{what}: {said(author)!r}, not {words!r}")


def author_works_by_keys(author, sheet):
    """From the page of the sheet to "Saved." without a mouse, in a window of each width."""
    for width in author.each_width():
        author.open(f"/sheets/{sheet}/manage")
        tab_to(author, "Zoom regions of")
        page = author.one("html")
        press(author, Keys.ENTER)
        author.wait(lambda: author.has_left(page) and marks(author), "a key leads to the editor")
        saved = order(author)
        goes_from_region_to_region(author)
        moves_by_keys(author)
        merges_and_splits_by_keys(author)
        expect(order(author) == saved, "everything is undone by keys")
        adds_by_keys(author, "By keys" if width == 1280 else "")
        tab_to(author, "Save this page")
        page = author.one("html")
        press(author, Keys.ENTER)
        author.wait(lambda: author.has_left(page), "a key saves")
        expect("Saved." in author.one("[data-saved]").text, f"which is told at {width} px")
        expect(len(order(author)) == len(saved) + 1, "with one region more")


def goes_from_region_to_region(author):
    names = [label.get_property("textContent") for label in author.all(".region-rows [data-label]")]
    told = tab_to(author, f"{names[0]}: left ")
    expect("top" in told and "percent" in told, f"a region says where it is: {told}")
    press(author, Keys.PAGE_DOWN)
    hears(author, f"{names[1]}, 2 of {len(names)}.", "page down goes to the next")
    expect(focus(author)["name"].startswith(f"{names[1]}: left "), "which has the focus then")
    press(author, Keys.PAGE_UP)
    hears(author, f"{names[0]}, 1 of {len(names)}.", "page up back")


def moves_by_keys(author):
    key = marks(author)[0].get_attribute("data-key")
    before = fields(author, key, "x", "y", "width", "height")
    for stroke, change in ((Keys.ARROW_RIGHT, (0.5, 0, 0, 0)), (Keys.ARROW_LEFT, (-0.5, 0, 0, 0)),
                           (Keys.ARROW_DOWN, (0, 0.5, 0, 0)), (Keys.ARROW_UP, (0, -0.5, 0, 0))):
        press(author, stroke)
        now = fields(author, key, "x", "y", "width", "height")
        moved = [one - other for one, other in zip(now, before)]
        expect(max(abs(one - other) for one, other in zip(moved, change)) < 0.02, f"an arrow moves it: {moved}, {change}")
        hears(author, f"Left {round(now[0] * 10) / 10:g}, top", "where it is then is said")
        before = now
    press(author, Keys.SHIFT, Keys.ARROW_UP)
    now = fields(author, key, "width", "height")
    expect(abs(now[1] - before[3] + 0.5) < 0.02 and now[0] == before[2], f"with Shift it resizes: {now}, {before}")
    hears(author, f"height {round(now[1] * 10) / 10:g} percent", "which is said, too")
    for _ in range(5):
        press(author, Keys.CONTROL, "z")
        hears(author, "Undone.", "Control and Z undoes it")


def merges_and_splits_by_keys(author):
    count = len(marks(author))
    press(author, Keys.SHIFT, Keys.PAGE_DOWN)
    chosen = [mark for mark in marks(author) if mark.get_attribute("aria-pressed") == "true"]
    expect(len(chosen) == 2, f"Shift chooses two: {len(chosen)}")
    tab_to(author, "Merge", back=True)
    press(author, Keys.ENTER)
    hears(author, "2 regions merged.", "a key merges them")
    expect(len(marks(author)) == count - 1, "to one")
    tab_to(author, "Split below")
    press(author, Keys.SPACE)
    hears(author, " split.", "and splits it")
    expect(len(marks(author)) == count, "into two")
    tab_to(author, "Undo", back=True)
    for _ in range(2):
        press(author, Keys.ENTER)
        hears(author, "Undone.", "a button takes each back")
    expect(focus(author)["name"] == "Undo", "and keeps the focus")
    first = author.one(".region-rows [data-label]").get_property("textContent")
    tab_to(author, f"{first}: left ")
    press(author, Keys.DELETE)
    hears(author, f"{first} deleted.", "a key deletes one")
    expect(focused(author, "element.classList.contains('region-mark')"), "the next has the focus")
    press(author, Keys.CONTROL, "z")
    expect(len(marks(author)) == count, "and it comes back")


def adds_by_keys(author, name):
    """With its fields filled in, each of which Tab leads to."""
    tab_to(author, "Add a region")
    press(author, Keys.ENTER)
    hears(author, "Region added.", "a key adds a region")
    key = focused(author, "element.name").removeprefix("name-")
    press(author, name, Keys.TAB, "C", Keys.TAB)
    for text in ("4", "80", "12", "6"):
        press(author, Keys.CONTROL, "a", Keys.NULL, text, Keys.TAB)
    expect(fields(author, key, "x", "y", "width", "height") == [4, 80, 12, 6], "its fields say where it is")
    kind = author.one(f"#kind-{key}").get_property("value")
    expect(kind, f"and what it is: {kind}")
    drawn = author.one(f".region-mark[data-key='{key}']").get_attribute("style")
    expect("left: 4%" in drawn and "top: 80%" in drawn, f"where it is seen: {drawn}")
    tab_to(author, "Move up")
    press(author, Keys.ENTER)
    hears(author, f"is number {len(order(author)) - 1} now", "a key puts it before another")
