#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A member's own collections in browsers, against a market with three sheets (CollectionStoryTests publishes them):

    collecting.py http://127.0.0.1:8080 --moderator HANDLE --password PREFIX [--pictures FOLDER]

`rita` registers, collects sheets, and sorts them: dragged, by keyboard, and without scripts. A visitor finds the
collection, and the moderator drags the lines of a curated one, and types them in another order without scripts. Ends with
0 when all holds, else prints what does not."""

import pathlib

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from browser import arguments, browsers, expect
from people import summary_leads_to_fields

PICTURES = pathlib.Path(__file__).resolve().parent.parent / "Fixtures/pictures"
SHEETS = ["lantern-blade", "wayfarers-ledger", "rust-season"]


def names(person):
    return [line.get_attribute("data-name") for line in person.all(".sortable > li")]


def drags(person, name, onto):
    """By its grip, as a mouse or a finger would."""
    grip = person.one(f".sortable > li[data-name='{name}'] .grip")
    other = person.one(f".sortable > li[data-name='{onto}'] .grip")
    person.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", grip)
    chain = ActionChains(person.driver).move_to_element(grip).click_and_hold()
    distance = other.rect["y"] - grip.rect["y"]
    for _ in range(4):
        chain.move_by_offset(0, int(distance / 4) + (2 if distance > 0 else -2))
    chain.release().perform()


def registers(person, password):
    """Without scripts: at first with a fault, to which the summary leads."""
    person.open("/register?next=/collections")
    person.fill("handle", "Rita!")
    person.fill("email", "rita@example.org")
    person.fill("password", password)
    person.submit()
    summary_leads_to_fields(person)
    expect("is kept" in person.text() and not person.one("#password").get_attribute("value"), "a good password is kept")
    person.fill("handle", "rita")
    person.submit()
    expect("What comes next" in person.text(), f"a welcome says what comes next: {person.text()}")
    e_mails = pathlib.Path(person.one(".secret").text)
    person.wait(lambda: e_mails.is_dir() and list(e_mails.glob("*.eml")), "the e-mail lies where the page says")
    person.follow("Go on")
    expect(person.path() == "/collections", f"and leads on: {person.path()}")


def collects(person):
    for place, slug in enumerate(SHEETS):
        person.open(f"/sheets/{slug}")
        person.follow("Add to your collections")
        if place == 0:
            person.look("collect")
            person.click("input[value=new]")
            person.fill("title", "Rainy evenings")
        person.submit()
    expect(len(person.all(".card")) == 3, "three sheets are in it")
    person.look("member-collection")
    return person.path()


def sorts(person, address):
    person.follow("Edit")
    before = names(person)
    expect(len(before) == 3, f"three lines: {before}")
    drags(person, before[0], before[2])
    person.wait(lambda: names(person) == [before[1], before[2], before[0]], "the first is dragged to the end")
    person.wait(lambda: person.one("form.panel").get_attribute("data-saved") == "1", "which is saved")
    expect("place 3 of 3" in person.one("[data-sort-news]").get_property("textContent"), "and announced")
    up = person.one(f".sortable > li[data-name='{before[0]}'] [name=up]")
    up.send_keys(Keys.ENTER)
    person.wait(lambda: person.one("form.panel").get_attribute("data-saved") == "2", "an arrow moves it")
    expect(names(person) == [before[1], before[0], before[2]], f"one place up: {names(person)}")
    focus = person.driver.execute_script("return document.activeElement.getAttribute('aria-label')")
    expect(focus == f"Move {before[0]} up", f"the focus stays at it: {focus}")
    person.one(".entry input").send_keys("For the first night.")
    person.look("own-collection")
    person.press("Save")
    person.open(address)
    shown = [line.text for line in person.all(".card h2")]
    expect(shown == [before[1], before[0], before[2]], f"everybody sees that order: {shown}")
    expect("For the first night." in person.text(), "and why a sheet is there")
    return shown


def adds_by_search(person, address):
    """From the collection's own form, which is saved on the way."""
    person.open(address)
    person.follow("Edit")
    name = person.one(".sortable > li:last-child").get_attribute("data-name")
    person.act(person.one(f"[aria-label='Remove {name}']"), not person.scripts)
    if person.scripts:
        person.wait(lambda: person.one("form.panel").get_attribute("data-saved") == "1", "which is saved")
    expect(name not in names(person), "a sheet is taken out")
    person.fill("find", name.split()[0])
    person.act(person.one("[name=search]"), True)
    person.act(person.one(f"[aria-label='Add {name}']"), True)
    expect(names(person)[-1] == name, f"what was found is added at the end: {names(person)}")
    expect("in it" in person.one("#more").text and not person.all(f"[aria-label='Add {name}']"), "and marked as there")
    person.look("own-collection-search", axe=person.scripts)
    person.fill("find", "no such sheet at all")
    person.act(person.one("[name=search]"), True)
    expect("No sheet has" in person.one("#more").text, "nothing found is told of")


def sorts_without_scripts(plain, password, address, shown):
    plain.open("/login?next=/account/collections")
    plain.fill("login", "rita")
    plain.fill("password", password)
    plain.submit()
    plain.act(plain.one("main .versions a[aria-label^=Edit]"), True)
    expect(not plain.one(".grip").is_displayed(), "nothing is dragged without a script")
    plain.act(plain.one(f"[aria-label='Move {shown[2]} up']"), True)
    plain.open(address)
    after = [line.text for line in plain.all(".card h2")]
    expect(after == [shown[0], shown[2], shown[1]], f"its arrows send the form: {after}")
    adds_by_search(plain, address)


def profile(person):
    """Without scripts; who one is stands in the head of each page from then on."""
    person.run_scripts(False)
    person.open("/account/profile")
    expect(person.one("a.who .disc").text == "R", "whoever has no picture has their initial")
    person.fill("displayName", "Rita of the Rain")
    person.fill("bio", "I collect what fits on one page.")
    person.fill("links", "https://rita.example.org/sheets")
    person.driver.execute_script("document.querySelector('[name=colour][value=\"3\"]').click()")
    person.submit("main form[action='/account/profile']")
    expect("Saved." in person.text(), "the profile is saved")
    for picture, words in (("moving.webp", "A picture that does not move."), ("turned.jpg", "Saved.")):
        person.one("#picture").send_keys(str(PICTURES / picture))
        person.submit("main form[action='/account/profile/picture']")
        expect(words in person.text(), f"{picture}: {words}")
    shown = person.driver.execute_script("return document.querySelector('img.portrait').naturalWidth")
    expect(shown == 256, f"the picture is shown as it was redrawn: {shown}")
    for width in person.each_width():
        menu = person.one("a.who")
        seen = person.driver.execute_script(
            "const box = arguments[0].querySelector('img').getBoundingClientRect();"
            "return [arguments[0].querySelector('img').naturalWidth > 0, box.width, box.left >= 0,"
            " box.right <= innerWidth]", menu)
        expect(seen[0] and seen[1] >= 24 and all(seen[2:]), f"it stands in the head at {width} px: {seen}")
    expect(person.one("a.who").get_property("textContent") == "rita", "which says whose it is")
    person.look("profile")
    person.open("/account/collections")
    person.look("own-collections")
    person.open("/account/inbox")
    person.look("inbox")
    person.open("/games/propose")
    person.fill("name", "Mouse and Moss")
    person.submit()
    expect("With the moderators" in person.text(), "a game is proposed")
    person.look("propose-game")


def visits(visitor):
    visitor.open("/authors/rita")
    expect("I collect what fits" in visitor.text() and "Rainy evenings" in visitor.text(), "the page of a person")
    expect(visitor.one("h1").text == "Rita of the Rain", f"has their name: {visitor.one('h1').text}")
    links = [link.get_attribute("href") for link in visitor.all("main a[rel~=nofollow]")]
    expect("https://rita.example.org/sheets" in links, f"and their link: {links}")
    visitor.look("person")
    visitor.open(f"/sheets/{SHEETS[0]}")
    expect("In collections" in visitor.text(), "a sheet's page names its collections")
    visitor.open("/games")
    visitor.look("games")


def curates(moderator, visitor, handle, prefix):
    moderator.open("/login?next=/moderation/collections")
    moderator.fill("login", handle)
    moderator.fill("password", prefix + handle)
    moderator.submit()
    moderator.fill("title", "Picks")
    moderator.fill("slug", "picks")
    moderator.fill("sheets", "\n".join(SHEETS))
    moderator.submit()
    moderator.follow("Edit")
    moderator.click("[data-sort-open]")
    drags(moderator, SHEETS[2], SHEETS[0])
    moderator.wait(lambda: names(moderator)[0] == SHEETS[2], "the last line is dragged to the top")
    moderator.look("edit-collection-sorted")
    moderator.press("Save")
    dragged = [SHEETS[2], SHEETS[0], SHEETS[1]]
    expect(curated(visitor) == dragged, f"and saved so, for everybody: {curated(visitor)}")
    moderator.run_scripts(False)
    moderator.follow("Edit")
    lines = moderator.one("#sheets").get_property("value").split()
    expect(lines == dragged, f"each stands on a line: {lines}")
    moderator.fill("sheets", "\n".join(reversed(lines)))
    moderator.press("Save")
    expect(curated(visitor) == dragged[::-1], f"lines are put in order without scripts, too: {curated(visitor)}")
    moderator.open("/moderation/games")
    expect("Mouse and Moss" in moderator.text(), "a proposed game waits")
    moderator.look("moderation-games")


def curated(visitor):
    """The sheets of the moderator's collection as everybody sees them."""
    visitor.open("/collections/picks")
    return [link.get_attribute("href").split("/")[-1] for link in visitor.all(".card h2 a")]


def main():
    options = arguments(__doc__, "--moderator", "--password")
    with browsers(options) as browser:
        rita = browser("rita", scripts=False)
        registers(rita, options.password + "rita")
        address = collects(rita)
        rita.run_scripts(True)
        shown = sorts(rita, address)
        adds_by_search(rita, address)
        profile(rita)
        sorts_without_scripts(browser("plain", scripts=False), options.password + "rita", address, shown)
        visitor = browser("visitor")
        visits(visitor)
        curates(browser("moderator"), visitor, options.moderator, options.password)


if __name__ == "__main__":
    main()
