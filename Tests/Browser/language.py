#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pages in German in a browser, against a market that runs with its example sheets:

    language.py http://127.0.0.1:8080 [--pictures FOLDER]

A visitor changes the language without scripts and with the keyboard, reads, searches, copies and zooms. Ends with 0 when all of
it holds, else prints what does not."""

from selenium.webdriver.common.keys import Keys

from browser import arguments, browsers, expect

SHEET = "/sheets/oathbound-journal"
PAGES = ("/", SHEET, "/help", "/guidelines", "/register", "/login", "/licences", f"{SHEET}/copyright")
# What is wider than the window, and where.
WIDE = """
return [...document.querySelectorAll('main *, header *, footer *')].filter((element) => {
  const box = element.getBoundingClientRect();
  return box.width > 1 && box.right > document.documentElement.clientWidth + 1 && element.closest('svg, pre, .skip') === null;
}).slice(0, 3).map((element) => element.outerHTML.slice(0, 120));
"""


def changes_the_language(person):
    person.open("/help")
    expect(person.one("html").get_attribute("lang") == "en", "a browser that asks for English gets it")
    switch = person.one("footer .languages button")
    expect(switch.text == "Deutsch" and switch.get_attribute("lang") == "de", "the switch says its language in that language")
    expect(switch.size["height"] >= 24 and switch.size["width"] >= 24, "the switch can be hit")
    page = person.one("html")
    switch.send_keys(Keys.ENTER)
    person.wait(lambda: person.has_left(page), "the page comes in German")
    expect(person.path() == "/help" and person.one("html").get_attribute("lang") == "de", "the switch leads back here")
    expect("Wie finde ich einen Bogen?" in person.text(), "the page is in German")


def reads_everywhere(person):
    for path in PAGES:
        person.open(path)
        expect(person.one("html").get_attribute("lang") == "de", f"{path} is in German")
        for width in person.each_width():
            expect(not person.driver.execute_script(WIDE), f"{path} fits {width}: {person.driver.execute_script(WIDE)}")


def speaks_as_the_browser(guest):
    """A browser that asks for German gets it, until another language is chosen."""
    agent = guest.driver.execute_script("return navigator.userAgent")
    guest.driver.execute_cdp_cmd("Emulation.setUserAgentOverride", {"userAgent": agent, "acceptLanguage": "de-AT,de"})
    guest.open(SHEET)
    expect(guest.one("html").get_attribute("lang") == "de", "a browser that asks for German gets it")
    guest.act(guest.one("footer .languages button"), True)
    expect(guest.path() == SHEET and guest.one("html").get_attribute("lang") == "en", "the switch is stronger")


def scripts_speak_too(person):
    person.open(SHEET)
    expect("Kopieren" in person.one("#share .copy-button").text, "scripts speak German")
    expect(person.one(".copy-button").get_attribute("aria-label") == "Befehl kopieren", "buttons are named in German")
    person.open("/")
    person.one("#q").send_keys("oath")
    person.wait(lambda: person.all("#suggestions .hint"), "suggestions come")
    kinds = {hint.text for hint in person.all("#suggestions .hint")}
    expect(kinds <= {"Bogen", "Spiel", "Autor:in", "Stichwort"}, f"suggestions are named in German: {kinds}")


def main():
    options = arguments(__doc__)
    with browsers(options) as browser:
        plain = browser("plain", scripts=False)
        changes_the_language(plain)
        plain.driver.delete_all_cookies()
        speaks_as_the_browser(plain)
        reader = browser("reader")
        changes_the_language(reader)
        reads_everywhere(reader)
        scripts_speak_too(reader)
        reader.open(SHEET)
        reader.look("sheet-de")


if __name__ == "__main__":
    main()
