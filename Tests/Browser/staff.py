#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pages of the team by keyboard alone and without scripts, against a market that pages.py furnished:

    staff.py http://127.0.0.1:8080 [--pictures FOLDER]

An administrator closes a hint, notes something on a case, decides ticked ones together, goes from tab to tab, reads the
statistics, finds a person and warns them, looks at the rules, adds a game, renames and merges games, renames a tag, checks the audit log, and
reads how the market runs and its e-mails. Ends with 0 when all holds."""

from browser import arguments, browsers, expect
from scene import password
from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys

# The page of the games has two links for each of them.
MOST_TABS = 150


def press(person, *keys):
    ActionChains(person.driver).send_keys(*keys).perform()


def focus(person):
    """What has the focus: its name as people hear it, and whether one sees that it has it."""
    return person.driver.execute_script(
        "const one = document.activeElement;"
        "const looks = [one, one.closest('.option') ?? one].map((part) => getComputedStyle(part));"
        "if (one === document.body) return {name: '', isSeen: true};"
        "return {name: (one.labels?.[0]?.textContent ?? one.ariaLabel ?? one.textContent).trim().replace(/\\s+/g, ' '),"
        " isSeen: looks.some((look) => look.outlineStyle !== 'none' || look.boxShadow !== 'none')};")


def tab_to(person, name):
    """Goes on with Tab, seeing where one is, until what has this name has the focus."""
    for _ in range(MOST_TABS):
        press(person, Keys.TAB)
        now = focus(person)
        if now["name"]:
            expect(now["isSeen"], f"the focus is seen on {now['name']!r} of {person.path()}")
        if now["name"].startswith(name):
            return
    expect(False, f"Tab comes to {name!r} on {person.path()}; it is at {focus(person)['name']!r}")


def enter(person, name):
    """Follows what has the name; another page comes."""
    tab_to(person, name)
    before = person.one("html")
    press(person, Keys.ENTER)
    person.wait(lambda: person.has_left(before), f"{name} leads on")


def go(person, tab, heading):
    """From wherever one is, by the tabs of the team."""
    enter(person, tab)
    expect(person.one("h1").text == heading, f"{tab} leads to {heading}: {person.one('h1').text}")


def signs_in(olga):
    olga.open("/login?next=/moderation")
    tab_to(olga, "User name, or")
    press(olga, "olga", Keys.TAB)
    press(olga, password("olga"), Keys.ENTER)
    olga.wait(lambda: olga.path() == "/moderation", "Enter signs in")


def closes_a_hint(olga):
    expect("keys that save time" in olga.text(), "the first visit has a hint")
    olga.open("/moderation")
    enter(olga, "Got it")
    expect(olga.path() == "/moderation" and not olga.all(".visit-hint"), "a hint that was closed is gone")
    olga.open("/help")
    enter(olga, "Show the hints again")
    olga.open("/moderation")
    expect(olga.all(".visit-hint"), "and comes back when it is asked for")


def notes_and_decides_together(olga):
    enter(olga, "Lamplighter")
    expect("About tess" in olga.text() and "Strikes" in olga.one("#person").text, "a case says whose work it is")
    expect("Decided" in olga.one("#earlier").text, "and what came before it")
    tab_to(olga, "Add a note")
    press(olga, "Looks fine to me.", Keys.TAB, Keys.ENTER)
    olga.wait(lambda: "#notes" in olga.driver.current_url, "the note is kept")
    expect("Looks fine to me." in olga.one("#notes").text, "the team reads it there")
    enter(olga, "Review queue")
    tab_to(olga, "Choose Rust Season")
    press(olga, Keys.SPACE)
    enter(olga, "Decide the ticked ones together")
    expect(len(olga.all(".versions li")) == 1, "the ticked case is listed")
    tab_to(olga, "Dismiss")
    press(olga, Keys.SPACE)
    enter(olga, "Decide all of them")
    expect("1 of 1 decided." in olga.one("[role=status]").text, "it says how many were decided")
    enter(olga, "Back to the queue")
    expect("Rust Season" not in olga.one("main").text, "what was decided has left the queue")


def reads_statistics(olga):
    go(olga, "Statistics", "Statistics")
    expect("Moderators in the last 90 days" in olga.text() and "moritz" in olga.text(), "it says who decided how much")
    expect("In time" in olga.one("#promises").text, "and how much of what was promised was kept")
    enter(olga, "Transparency")
    expect(olga.path() == "/transparency", "and leads to what everybody may know")
    olga.driver.back()


def decides_on_a_notice(olga):
    go(olga, "Copyright", "Copyright notices")
    enter(olga, "Far Orbit Dossier")
    expect("Orbits, page 3" in olga.text(), "the notice is read")
    tab_to(olga, "Accept it")
    press(olga, Keys.ARROW_DOWN)
    tab_to(olga, "Why, for both sides")
    press(olga, "Two circles are nobody's.")
    enter(olga, "Enter the decision")
    expect("Your decision is entered" in olga.text() and "Rejected" in olga.text(), "and rejected")


def warns_somebody(olga):
    go(olga, "People", "People")
    tab_to(olga, "User name")
    press(olga, "tes", Keys.ENTER)
    olga.wait(lambda: olga.path().startswith("/moderation/people?q=tes"), "Enter searches")
    enter(olga, "tess")
    expect(olga.one("h1").text == "tess", "a person's page opens")
    tab_to(olga, "Warning")
    press(olga, Keys.SPACE)
    tab_to(olga, "Reason")
    press(olga, Keys.ARROW_DOWN)
    tab_to(olga, "What the person is told")
    press(olga, "Please do not advertise here.")
    enter(olga, "Impose it")
    expect("Please do not advertise here." in olga.text(), "the warning stands there")


def reads_rules(olga):
    go(olga, "Rules", "Rules")
    expect(len(olga.all("tbody tr")) > 5 and "Trusted authors" in olga.text(), "each rule has its line")


def adds_a_game(olga):
    go(olga, "Games", "Games")
    tab_to(olga, "Name")
    press(olga, "Moonlit Roads", Keys.TAB, Keys.TAB, "Nobody", Keys.TAB, "Moonlit")
    enter(olga, "Add it")
    expect("Moonlit Roads" in olga.text() and "moonlit-roads" in olga.text(), "the game is listed")
    tab_to(olga, "Name")
    press(olga, "Moonlit Roads")
    enter(olga, "Add it")
    expect(olga.all("[aria-invalid], [role=alert]"), "a second of the name is refused where one sees it")


def renames_a_game(olga):
    olga.open("/moderation/games")
    enter(olga, "Edit Moonlit Roads")
    tab_to(olga, "Name")
    press(olga, Keys.END, " Again", Keys.TAB, Keys.TAB, Keys.END, ", By Night")
    enter(olga, "Save")
    row = next(row.text for row in olga.all("tbody tr") if "moonlit-roads" in row.text)
    expect("Moonlit Roads Again" in row and "Moonlit, By Night" in row, f"the game has its new names: {row}")


def merges_games(olga):
    go(olga, "Games", "Games")
    tab_to(olga, "Name")
    press(olga, "Moonlit Paths")
    enter(olga, "Add it")
    enter(olga, "Edit Moonlit Paths")
    tab_to(olga, "The game that goes on")
    press(olga, "Moonlit R")
    enter(olga, "Go on")
    expect("takes over 0 sheets" in olga.text(), f"how much moves is said first: {olga.text()}")
    enter(olga, "Merge them")
    expect(olga.path().startswith("/moderation/games/moonlit-roads"), "the game that goes on is shown")
    expect("Moonlit Paths" in olga.one("#aliases").get_attribute("value"), "it has the other's name, too")


def renames_a_tag(olga):
    go(olga, "Tags", "Tags")
    first = olga.one("tbody a").text
    tab_to(olga, "Part of a tag")
    press(olga, first, Keys.ENTER)
    olga.wait(lambda: olga.path().startswith("/moderation/tags?q="), "Enter searches")
    enter(olga, first)
    expect(olga.one("h1").text == first, "the tag's page opens")
    tab_to(olga, "New name")
    press(olga, "No such tag!")
    enter(olga, "Go on")
    expect(olga.all("[aria-invalid], [role=alert]"), "what can be no tag is refused where one sees it")
    expect(focus(olga)["name"].startswith("New name"), "and has the focus")
    ActionChains(olga.driver).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).perform()
    press(olga, f"{first}-again")
    enter(olga, "Go on")
    expect(f"Rename {first} to {first}-again?" == olga.one("h1").text, "how much changes is said first")
    enter(olga, "Rename it")
    expect(f"formerly {first}" in olga.text(), "the old name leads here")
    enter(olga, "Take it off")
    expect(olga.one("h1").text == f"Take {first}-again off?", "taking it off is asked, too")
    enter(olga, "Leave it")
    tab_to(olga, "New name")
    press(olga, first)
    enter(olga, "Go on")
    enter(olga, "Rename it")
    expect(olga.one("h1").text == first, "it takes its old name again")


def checks_the_log(olga):
    go(olga, "Audit log", "Audit log")
    expect("moonlit-roads" in olga.text(), "what was done just now comes first")
    enter(olga, "Check the whole log")
    verdict = olga.one(".notice.good[role=status]").text
    expect("The log is whole" in verdict and "signed checkpoint" in verdict, f"the verdict is announced: {verdict}")
    expect(int(verdict.split("whole: ")[1].split()[0].replace(",", "")) > 10, f"of all entries: {verdict}")


def reads_operation(olga):
    go(olga, "Operation", "Operation")
    expect("Background work" in olga.text() and "SHEETMARKET_" in olga.text(), "figures and settings stand there")
    tab_to(olga, "By kind")
    press(olga, Keys.ENTER)
    expect("Pictures of pages" in olga.text(), "storage is told by kind")


def reads_emails(olga):
    olga.open("/operation")
    enter(olga, "Read them")
    enter(olga, "Confirm your e-mail address")
    expect("To ines@example.org" in olga.text(), "the newest letter of a market that sends none is read")
    expect(olga.all("article a[href*='/verify-email']"), "with its link")


def main():
    options = arguments(__doc__)
    with browsers(options) as browser:
        olga = browser("olga", scripts=False)
        signs_in(olga)
        for part in (closes_a_hint, notes_and_decides_together, reads_statistics, decides_on_a_notice, warns_somebody, reads_rules,
                     adds_a_game, renames_a_game, merges_games, renames_a_tag, checks_the_log, reads_operation, reads_emails):
            part(olga)
            olga.driver.execute_script("scrollTo(0, 0)")


if __name__ == "__main__":
    main()
