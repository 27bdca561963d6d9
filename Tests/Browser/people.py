#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What people of a market tell each other, in browsers, against a market that runs:

    people.py http://127.0.0.1:8080 sheet.pdf --moderators HANDLE,HANDLE --password PREFIX [--pictures FOLDER]

An author registers, uploads and writes to the moderators; one of them answers by keyboard alone, another decides
without scripts. Ends with 0 when all of it holds, else prints what does not."""

import pathlib

from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys

from browser import arguments, browsers, expect


def press(person, *keys):
    """Keys, wherever the focus is."""
    ActionChains(person.driver).send_keys(*keys).perform()


def focused(person):
    return person.driver.execute_script("return document.activeElement.id")


def summary_leads_to_fields(person):
    """Each link of the summary leads to a field that is there, and the first of these has the focus."""
    targets = [link.get_attribute("hash")[1:] for link in person.all(".faults a")]
    expect(targets and all(person.all(f"[id='{target}']") for target in targets), f"the summary's links: {targets}")
    expect(focused(person) == targets[0], f"the first faulty field has the focus: {focused(person)}, {targets}")


def author_registers(author):
    author.open("/register?next=/upload")
    author.fill("handle", "Ida")
    author.fill("email", "ida@example.org")
    author.fill("password", "short")
    author.submit()
    summary_leads_to_fields(author)
    author.look("register-summary")
    author.fill("handle", "ida")
    author.fill("password", "four plain words do")
    author.submit()
    expect("What comes next" in author.text(), "a welcome says what comes next")
    e_mails = pathlib.Path(author.one(".secret").text)
    author.wait(lambda: e_mails.is_dir() and list(e_mails.glob("*.eml")), "the e-mail lies where the page says")
    author.follow("Go on")
    expect(author.path() == "/upload", f"and leads on: {author.path()}")


def author_uploads(author, sheet):
    author.fill("name", "The Cartographer's Ledger")
    author.fill("summary", "Maps, and who drew them.")
    author.choose("gameSystem", "dnd5e")
    author.fill("language", "German")
    author.fill("tags", "Not A Tag")
    author.one("#file").send_keys(str(sheet))
    author.submit("form[data-upload]", leaves=False)
    author.wait(lambda: author.all(".faults a"), "the mistakes come back")
    summary_leads_to_fields(author)
    author.fill("tags", "maps")
    author.submit("form[data-upload]", leaves=False)
    author.wait(lambda: author.path().startswith("/submissions/"), "the upload leads to its own page")
    author.wait(lambda: "Waiting for a moderator" in author.text(), "the inspection ends", seconds=600)
    expect("follows along by itself" in author.text(), "with scripts the page says that it turns by itself")
    author.fill("answer", "The compass is my own drawing.")
    author.press("Send")
    return author.path().split("#")[0].split("?")[0]


def sign_in(person, handle, password):
    person.open("/login?next=/moderation")
    person.fill("login", handle)
    person.fill("password", f"{password} {handle}")
    person.submit()


def moderator_answers_by_keyboard(moderator, handle, password):
    sign_in(moderator, handle, password)
    expect("New message" in moderator.text(), "the queue tells of the message")
    moderator.look("queue-message")
    press(moderator, "?")
    expect(moderator.one("#shortcuts").is_displayed(), "the card of keys opens")
    moderator.look("queue-card")
    press(moderator, Keys.ESCAPE)
    press(moderator, "j")
    expect(focused_line(moderator).startswith("The Cartographer's Ledger"), "j goes to the first case")
    press(moderator, "/")
    expect(focused(moderator) == "q", "a stroke goes to the search")
    press(moderator, "n")
    expect(moderator.path() == "/moderation", "in a field a letter is a letter")
    moderator.driver.execute_script("document.activeElement.blur()")
    page = moderator.one("html")
    press(moderator, "n")
    moderator.wait(lambda: moderator.has_left(page), "n takes the next case")
    expect("The compass is my own drawing." in moderator.text(), "what the author wrote is read on the case's page")
    expect(moderator.all("#messages .state.wait"), "and marked as new")
    moderator.look("case-message")
    press(moderator, "1")
    expect(moderator.one("input[value=approve]").is_selected(), "a digit chooses a decision")
    press(moderator, "m")
    expect(focused(moderator) == "answer", "m goes to the answer")
    press(moderator, "Where did you draw it?", Keys.TAB, Keys.SPACE)
    page = moderator.one("html")
    press(moderator, Keys.TAB, Keys.TAB, Keys.ENTER)
    moderator.wait(lambda: moderator.has_left(page), "the answer is sent")
    expect("Waits for the uploader" in moderator.text(), "the case waits for the author")
    expect("Take the next case" in moderator.text(), "and leads on")


def focused_line(person):
    return person.driver.execute_script("return document.activeElement.innerText")


def author_answers(author, submission):
    author.open("/account")
    author.follow("My sheets")
    author.look("own-sheets")
    expect("Where did you draw it?" in author.text(), "what waits for the author is told in one place")
    author.follow("The Cartographer's Ledger 1.0.0")
    expect(author.path().startswith(submission), author.path())
    author.fill("answer", "At my table.")
    author.press("Send")
    author.open("/account/sheets")
    expect("Nothing waits for you" in author.text(), "answered, it waits no more")


def moderator_decides_without_scripts(plain, handle, password, author, submission):
    sign_in(plain, handle, password)
    plain.fill("q", "cartographer")
    plain.submit("main form[role=search]")
    expect("Keyboard shortcuts" not in plain.text(), "no keys are promised where no script hears them")
    plain.follow("The Cartographer's Ledger")
    for width in plain.each_width():
        plain.driver.execute_script("scrollTo(0, 0)")
        plain.act(plain.one("a[href$='#new']"), False)
        place = plain.one("#new").rect["y"] - plain.driver.execute_script("return scrollY")
        expect("At my table." in plain.one("#new").text, f"the new message is marked: {plain.one('#new').text}")
        expect(-1 < place < 800, f"'read it' leads to it at {width} px: it is at {place}")
    expect("The compass is my own drawing." in plain.one("#messages").text, "the case has what the author wrote")
    plain.press("Claim")
    plain.fill("answer", "Thank you. One question is left: whose is the paper?")
    plain.act(plain.one("#messages form button"), True)
    expect("whose is the paper?" in plain.one("#messages").text, "and is answered there")
    author.open(submission)
    expect("whose is the paper?" in author.one("#messages").text, "which the author reads")
    plain.click("input[name=decision][value=request_changes]")
    plain.fill("message", "More maps.")
    plain.press("Record the decision")
    expect("Choose why." in plain.text(), "where there are several reasons, one has to be chosen")
    summary_leads_to_fields(plain)
    plain.look("case-plain-mistake", axe=False)  # axe is a script itself
    plain.click("input[name=decision][value=approve]")
    plain.fill("message", "")
    plain.press("Record the decision")
    expect("Approved" in plain.text() and "meets guidelines" in plain.text(), "approving needs no reason chosen")


def visitor_prints(visitor):
    visitor.open("/?language=de")
    visitor.follow("The Cartographer's Ledger")
    expect("German" in visitor.one("#details").text, "a language is found by its tag, by whatever name it was given")
    expect("0 downloads" in visitor.text(), "counts have their plural")
    visitor.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    for kept_off in (".masthead", "footer", ".regions", ".jumps", ".switch"):
        expect(not any(part.is_displayed() for part in visitor.all(kept_off)), f"{kept_off} is not printed")
    expect(visitor.one("figure.page img").is_displayed(), "the pages are")
    visitor.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    visitor.open("/docs")
    small = visitor.driver.execute_script(
        "return [...document.querySelectorAll('.reference a, .about a, .reference summary')].filter((target) => {"
        "  const box = target.getBoundingClientRect();"
        "  return box.width > 0 && (box.width < 24 || box.height < 24);"
        "}).map((target) => target.outerHTML).slice(0, 5)")
    expect(not small, f"targets of the API's page are large enough: {small}")


def main():
    options = arguments(__doc__, "sheet", "--moderators", "--password")
    first, second = options.moderators.split(",")
    with browsers(options) as browser:
        author, moderator, plain = browser("author"), browser("moderator"), browser("plain", scripts=False)
        author_registers(author)
        submission = author_uploads(author, pathlib.Path(options.sheet).resolve())
        moderator_answers_by_keyboard(moderator, first, options.password)
        # From here on without scripts.
        author.run_scripts(False)
        author_answers(author, submission)
        moderator_decides_without_scripts(plain, second, options.password, author, submission)
        visitor_prints(browser("visitor"))


if __name__ == "__main__":
    main()
