#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A player's story in a browser, against a market with sheets (PlayersTests publishes them):

    players.py http://127.0.0.1:8080 find|news --password PASSWORD [--pictures FOLDER]

`find`: somebody narrows the list, is offered suggestions, has a word corrected, registers as `rita`, marks a sheet and
follows its author and a game. `news`: rita finds what came out since, without scripts. Ends with 0 when all holds, else
prints what does not."""

import urllib.request

from browser import WIDTHS, arguments, browsers, expect
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys


def is_seen(browser, selector):
    """As the browser says it: selenium takes what is in closed details for hidden, whatever the style sheet does."""
    return browser.driver.execute_script(
        "return document.querySelector(arguments[0]).checkVisibility({contentVisibilityAuto: true})", selector)


def point(browser, label, inside):
    """Clicks with the mouse on a link that begins with a word."""
    found = [one for one in browser.all(f"{inside} a") if one.get_property("textContent").startswith(label)]
    before = browser.one("html")
    ActionChains(browser.driver).scroll_to_element(found[0]).move_to_element(found[0]).click().perform()
    browser.wait(lambda: browser.has_left(before), f"{label} leads on")


def narrows(visitor):
    """The filters stand beside the list on a wide screen, and open on a phone."""
    visitor.open("/")
    visitor.window(1280)
    expect(is_seen(visitor, ".filters nav"), "filters stand beside the list")
    expect(not visitor.one(".filters > summary").is_displayed(), "which needs no button there")
    point(visitor, "German", ".filters")
    expect(visitor.path() == "/?language=de", f"a filter is in the address: {visitor.path()}")
    expect(len(visitor.all(".card")) == 1 and visitor.all(".chip.on"), "the list is narrowed, a chip says by what")
    point(visitor, "German, chosen: remove", ".filters")
    expect(visitor.path() == "/" and len(visitor.all(".card")) == 3, "the filter is taken out where it was put in")
    visitor.window(390)
    expect(not is_seen(visitor, ".filters nav"), "filters are out of the way on a phone")
    visitor.one(".filters > summary").send_keys(Keys.ENTER)
    expect(is_seen(visitor, ".filters nav"), "a key opens them")
    closes_as_a_sheet(visitor)
    small = [one.text for one in visitor.all(".filters nav a") if one.is_displayed() and one.size["height"] < 24]
    expect(not small, f"each can be hit: {small}")
    visitor.look("find-filters")
    visitor.follow("German")
    expect(visitor.one(".filters > summary").text.startswith("Filters"), "the button stays")
    expect("1" in visitor.one(".filters > summary .state").text, "and counts what narrows")
    visitor.window(1280)


def closes_as_a_sheet(visitor):
    """What opens lies over the page, at its foot; Escape closes it, and so does a tap beside it."""
    below = visitor.driver.execute_script(
        "const box = document.querySelector('.filters').getBoundingClientRect();"
        "return [box.bottom === innerHeight, box.top > 100, box.left === 0]")
    expect(all(below), f"it lies at the foot of the window: {below}")
    visitor.escape()
    expect(not is_seen(visitor, ".filters nav"), "Escape closes it")
    opener = visitor.one(".filters > summary")
    expect(visitor.driver.execute_script("return document.activeElement === arguments[0]", opener), "the focus is back")
    opener.send_keys(Keys.ENTER)
    path = visitor.path()
    ActionChains(visitor.driver).move_by_offset(60, 40).click().perform()
    visitor.wait(lambda: not is_seen(visitor, ".filters nav"), "a tap beside it closes it", 20)
    expect(visitor.path() == path, "and does nothing else")
    ActionChains(visitor.driver).move_by_offset(-60, -40).perform()
    opener.send_keys(Keys.ENTER)


def is_suggested(visitor, count):
    options = visitor.all("#suggestions [role=option]")
    return len(options) == count and options[0].is_displayed()


def types(visitor, width):
    """The combobox, by keyboard alone."""
    visitor.open("/")
    box = visitor.one("#q")
    expect(box.get_attribute("role") == "combobox", "the box says what it is")
    box.send_keys("lante")
    visitor.wait(lambda: is_suggested(visitor, 2), "two sheets are suggested", seconds=60)
    expect(box.get_attribute("aria-expanded") == "true", "the box says that suggestions are there")
    expect(visitor.one("[data-suggest] [role=status]").text == "2 suggestions", "how many is announced")
    box.send_keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    expect(box.get_attribute("aria-activedescendant") == "suggestion-1", "arrows walk through them")
    box = visitor.one("#suggestions").rect
    expect(0 <= box["x"] and box["x"] + box["width"] <= width, f"they fit {width} px: {box}")
    box = visitor.one("#q")
    if width == WIDTHS[0]:
        visitor.look("find-suggestions")
    box.send_keys(Keys.ARROW_DOWN)
    expect(not box.get_attribute("aria-activedescendant"), "behind the last one is the box")
    visitor.escape()
    expect(not visitor.one("#suggestions").is_displayed(), "Escape closes them")
    expect(box.get_attribute("value") == "lante", "and leaves what was typed")
    box.send_keys("r")
    visitor.wait(lambda: is_suggested(visitor, 2), "typing on suggests anew", seconds=60)
    before = visitor.one("html")
    name = visitor.one("#suggestions [role=option] span").text
    box.send_keys(Keys.ARROW_DOWN, Keys.ENTER)
    visitor.wait(lambda: visitor.has_left(before), "Enter goes there", seconds=60)
    expect(visitor.one("h1").text == name, "to what was chosen")
    expect("Similar sheets" in visitor.text() and len(visitor.all(".similar .card")) == 2, "others like it follow")


def mistypes(visitor):
    visitor.open("/?q=lantrn")
    expect("Showing results for lantern" in visitor.text(), "the correction is told")
    expect(visitor.one("#q").get_attribute("value") == "lantern", "the box has what is searched")
    visitor.act(visitor.all(".card h2 a")[0], True)
    expect(visitor.path().startswith("/sheets/lantern-"), f"what was meant is found: {visitor.path()}")
    expect(len(visitor.all(".similar .card")) == 2, "and others like it follow")
    visitor.driver.back()
    visitor.follow("Search for lantrn instead")
    expect("No matching sheets" in visitor.text(), "words can be meant as they are")
    expect(visitor.one("#q").get_attribute("value") == "lantrn", "and stand in the box")


def without_scripts(plain):
    plain.open("/")
    plain.fill("q", "lantern")
    plain.act(plain.one(".searchbar button"), True)
    expect(len(plain.all(".card")) == 2, "the box searches without scripts")
    plain.window(390)
    # Which stands there in narrow windows alone.
    plain.one(".filters > summary").click()
    plain.follow("German")
    expect(len(plain.all(".card")) == 1, "and filters narrow")
    plain.window()


def registers_and_follows(rita, password):
    rita.open("/register?next=/sheets/lantern-blade")
    for field, value in (("handle", "rita"), ("email", "rita@example.org"), ("password", password)):
        rita.fill(field, value)
    rita.submit()
    rita.follow("Go on to where you were going")
    rita.press("Add to favourites")
    expect("Remove from favourites" in rita.text(), "the sheet is marked")
    rita.follow("ada")
    rita.press("Follow ada")
    expect("Unfollow ada" in rita.text(), "the author is followed")
    rita.run_scripts(False)
    rita.open("/?gameSystem=dnd5e")
    rita.act(rita.one(".heading button"), True)
    rita.open("/account/following")
    expect(rita.all("#favorites .card") and len(rita.all(".followed li")) == 2, "all three are listed")
    expect(rita.all(".news li") and "unread" not in rita.text(), "what was there before is not unread")


def reads_news(rita, password):
    rita.open("/login?next=/account/following")
    rita.fill("login", "rita")
    rita.fill("password", password)
    rita.submit()
    expect("2 unread" in rita.text() and "New sheet by ada" in rita.text(), "what came out since is told")
    expect("New sheet by ben for Dungeons" in rita.text(), "also by somebody else, for a game that is followed")
    expect(rita.one(".news li.unread a").text == "Night Watch", "the newest comes first")
    rita.press("Make a feed")
    expect("/feeds/following.atom?key=" in rita.one("#new-feed").text, "the feed has an address")
    with urllib.request.urlopen(rita.one("#new-feed").get_property("href"), timeout=60) as answer:
        told = answer.read().decode()
    expect("Night Watch" in told and "Other Hands" in told, f"and a reader finds the news there: {told}")
    rita.look("following")
    rita.press("Mark all as read")
    expect("unread" not in rita.text() and rita.all(".news li"), "and stays, read")
    rita.act(rita.one(".followed button"), True)
    expect(len(rita.all(".followed li")) == 1, "one is followed no longer")


def main():
    options = arguments(__doc__, "part", "--password")
    with browsers(options) as browser:
        player = browser("player", scripts=options.part != "news")
        if options.part == "news":
            reads_news(player, options.password)
            return
        narrows(player)
        for width in player.each_width():
            types(player, width)
        registers_and_follows(player, options.password)
        plain = browser("plain", scripts=False)
        without_scripts(plain)
        mistypes(plain)


if __name__ == "__main__":
    main()
