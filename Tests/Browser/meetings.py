#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where two people of a market meet, each in a browser of their own and without scripts, against one with its examples:

    meetings.py http://127.0.0.1:8080 --program PATH/sheetmarket --data FOLDER [--pictures FOLDER]

Reviews are read, sorted and reported; a new one reaches the author's inbox, and comes by letter where that is wanted;
a refusal is appealed, and another moderator decides; a follower hears of a new version and a new sheet, also by letter;
of two proposed games one is added and one declined, and their proposer told; a moderator opens a case on a person. Ends with 0 when all of it holds,
else prints what does not."""

import scene as scenes
from browser import arguments, browsers, expect


def sign_in(person, handle, path="/account"):
    person.open(f"/login?next={path}")
    person.fill("login", handle)
    person.fill("password", scenes.password(handle))
    person.submit()
    expect(person.path() == path, f"{handle} signs in: {person.path()}")


def unread(person):
    """How much the bell says is unread."""
    words = person.one("a.bell").get_attribute("aria-label").split()
    return int(words[1]) if len(words) > 1 else 0


def hears_of_a_review(author, reader, scene):
    before = unread(author)
    write_review(reader, scene, 4, "My investigator has never been so tidy.")
    # The mark is asked for anew after a change of one's own, else within half a minute.
    author.wait(lambda: author.open("/account") or unread(author) == before + 1, "the bell counts it", seconds=90)
    author.open("/account/inbox")
    first = author.one("section[aria-labelledby=reviews-heading] li")
    expect("so tidy" in first.text and "New" in first.text, f"the inbox has it as new: {first.text}")
    author.act(author.one("form[action='/account/inbox/seen'] button"), True)
    expect(unread(author) == 0, "read, the bell is silent")
    author.open(f"/sheets/{scene.sheet}")
    author.click("#reviews .reviews summary")
    author.fill(author.one("#reviews .reviews textarea").get_attribute("id"), "Thank you!")
    author.act(author.one("#reviews .reviews details button"), True)
    reader.open(f"/sheets/{scene.sheet}")
    expect("Thank you!" in reader.one("#reviews").text, "the reader finds the answer")
    author.act(author.one("form[action$='/reply/delete'] button"), True)
    reader.open(f"/sheets/{scene.sheet}")
    expect("Thank you!" not in reader.one("#reviews").text, "which its author can take back")


def has_reviews_by_letter(author, readers, scene):
    """Only whoever asks for them gets them: one for each review, none for a change of one."""
    about = "Lamplighter's Folio: a new review"
    expect(not scene.letters("tess", about), "nobody asked for letters")
    author.open(scenes.address(scene.letters("tess", "Confirm")[-1]))
    author.submit()
    author.open("/account/inbox")
    author.press("E-mail me new reviews")
    first, second = readers
    write_review(first, scene, 3, "Less tidy after a month.")
    write_review(second, scene, 5, "My lantern never goes out.")
    author.wait(lambda: scene.letters("tess", about), "a letter comes", seconds=90)
    letters = scene.letters("tess", about)
    expect(len(letters) == 1 and "nell has reviewed" in letters[0], f"of the new review, not of the other: {letters}")
    expect("never goes out" not in letters[0], "what it says is not in it")
    author.open(scenes.address(letters[0]))
    expect("never goes out" in author.one("#reviews").text, "but where it leads to")
    author.open("/account/inbox")
    author.press("Stop the e-mails")
    expect("E-mail me new reviews" in author.text(), "the same place stops them")


def write_review(reader, scene, stars, text):
    reader.open(f"/sheets/{scene.sheet}")
    reader.click(f"input[name=stars][value='{stars}']")
    reader.fill("review-text", text)
    reader.act(reader.one("#review-form button"), True)
    expect(text in reader.one("#reviews").text, "the review stands on the sheet's page")


def reads_reviews(reader, moderator):
    """Their mean and how it counts, in which order they stand, and one that is reported."""
    def lines():
        return [[part.get_attribute("aria-label").split()[0] for part in line.find_elements("css selector", ".stars")]
                + [line.find_element("css selector", "strong").text] for line in reader.all(".reviews > li")]

    reader.open("/sheets/oathbound-journal")
    score = reader.one("#reviews .ratings").text
    expect("4.7" in score and "3 reviews" in score, f"the plain mean is told: {score}")
    expect("in lists until there are more reviews" in score, f"and why lists say another: {score}")
    reader.follow("Worst")
    expect(lines()[0] == ["4", "Hanno"], f"the worst comes first: {lines()}")
    reader.follow("Best")
    expect(lines()[-1] == ["4", "Hanno"], f"or the best: {lines()}")
    first = reader.all(".reviews > li")[-1].text
    expect(first.lower().count("hanno") == 1, f"a person's name stands there once: {first}")
    reader.act(reader.one("[aria-label='Report the review by hanno']"), True)
    expect("I would like a larger box" in reader.text(), "the form says what is reported")
    reader.click("input[name=reason][value=other]")
    reader.fill("text", "He has never printed it.")
    reader.press("Send the report")
    expect("Your report is with the moderators" in reader.text(), "the report is taken")
    moderator.open("/moderation")
    moderator.choose("kind", "report")
    moderator.fill("q", "hanno")
    moderator.submit("main form[role=search]")
    moderator.act(moderator.one("main a[href^='/moderation/cases/']"), True)
    expect("He has never printed it." in moderator.one("#reports").text, "a moderator reads it")


def appeals(author, moderator, scene):
    """Moritz refused it; Olga decides."""
    author.open("/account/sheets")
    task = next(line for line in author.all("#waiting li") if "Buy Cheap Dice" in line.text)
    expect("It advertises a shop." in task.text and "You can appeal until" in task.text,
           f"what can be appealed waits for its author: {task.text}")
    author.act(task.find_element("css selector", "a"), True)
    expect(author.path() == "/account/appeals", f"and leads to the decision: {author.path()}")
    author.open(f"/submissions/{scene.refused['id']}")
    author.follow("Appeal")
    author.fill("text", "The shop is my own, and the sheet is whole.")
    author.press("Send the appeal")
    expect("Your appeal is with the moderators" in author.text(), "the appeal is told of")
    moderator.open("/moderation?kind=appeal")
    moderator.follow("Buy Cheap Dice")
    expect("The shop is my own" in moderator.text(), "the moderator reads why")
    moderator.press("Claim")
    moderator.click("input[name=decision][value=uphold]")
    moderator.fill("message", "An advertisement stays one.")
    moderator.choose("reasonCode", moderator.one("#reasonCode optgroup[data-decision=uphold] option").get_attribute("value"))
    moderator.press("Record the decision")
    expect("Decision kept" in moderator.text(), "and decides")
    author.open("/account/appeals")
    expect("An advertisement stays one." in author.one("#appeals").text, "the author reads the answer")


def mends_regions(author, scene):
    """What the moderator asked for, by the fields alone; the file is not sent again."""
    author.open(f"/submissions/{scene.mended['id']}")
    expect("The gear has no region yet." in author.text(), "the author reads what is wanted")
    author.follow("Correct the zoom regions")
    author.one(".region-rows li:last-child summary").click()
    row = author.one(".region-rows li:last-child").get_attribute("data-row")
    for name, text in (("name", "More gear"), ("x", "54"), ("y", "52"), ("width", "40"), ("height", "28")):
        author.fill(f"{name}-{row}", text)
    author.fill("note", "It has one now.")
    author.press("Save, and send the upload back")
    expect("Waiting for a moderator" in author.text(), f"the upload is back with the moderators: {author.text()}")


def approves(moderator, case, words):
    moderator.open(f"/moderation/cases/{case}")
    expect(words in moderator.text(), f"the case has {words!r}: {moderator.text()}")
    moderator.press("Claim")
    moderator.click("input[name=decision][value=approve]")
    moderator.press("Record the decision")
    expect("Approved" in moderator.text(), "the moderator publishes it")


def hears_of_news(follower, author, moderator, scene):
    """A next version of a favourite, and the new sheet of an author who is followed."""
    follower.open(scenes.address(scene.letters("hanno", "Confirm")[-1]))
    follower.submit()
    follower.open("/authors/tess")
    follower.press("Follow Tess Tinker")
    follower.open(f"/sheets/{scene.sheet}")
    follower.press("Add to favourites")
    follower.open("/account/following")
    follower.press("Send me e-mails")
    expect("Stop the e-mails" in follower.text(), f"news come by letter, too, where that is wanted: {follower.text()}")
    approves(moderator, scene.waiting["caseId"], "Boxes to tick for lamp oil.")
    mends_regions(author, scene)
    approves(moderator, scene.mended["caseId"], "It has one now.")
    follower.wait(
        lambda: follower.open("/account/following") or "2 unread" in follower.text(), "there is news", seconds=90)
    names = [link.text for link in follower.all(".news li.unread p a")]
    expect(names == ["Orbit Notes", "Lamplighter's Folio"], f"of what is followed: {names}")
    follower.open("/account/inbox")
    fresh = [line.text for line in follower.all("section[aria-labelledby=news-heading] li") if "New" in line.text]
    expect(len(fresh) == 2 and "Orbit Notes" in fresh[0] and "1.1.0" in fresh[1], f"the inbox has it, too: {fresh}")
    follower.follow("Orbit Notes")
    expect(follower.path() == "/sheets/orbit-notes", f"and leads there: {follower.path()}")
    # A day goes by, but for what a transaction may take at most.
    scene.database("UPDATE news_readers SET mailed_at = now() - interval '1 day' + interval '70 seconds' WHERE wants_email")


def reads_the_letter(operator, follower):
    """Where a market sends no e-mails, its operator reads them, and the letter leads the follower to the news."""
    operator.wait(
        lambda: operator.open("/operation/emails") or "2 updates from what you follow" in operator.text(),
        "the letter is written")
    operator.follow("2 updates from what you follow")
    letter = operator.one("article").text
    expect("To hanno@example.org" in operator.text(), "it goes to who follows")
    expect("Orbit Notes (tess" in letter and "Lamplighter's Folio 1.1.0 (tess" in letter, f"and names them: {letter}")
    link = operator.one("article a[href$='/account/following']").get_attribute("href")
    follower.open(link[link.index("/account/"):])
    expect("Orbit Notes" in follower.text(), "it leads to the news")
    follower.press("Stop the e-mails")
    expect("Send me e-mails" in follower.text(), "which stop where they began")


def gets_a_game(proposer, moderator):
    """The form of an upload leads to where games are proposed, beside what was filled in."""
    proposer.open("/upload")
    form = proposer.driver.current_window_handle
    proposer.act(proposer.one("form[data-upload] a[href='/games/propose']"), False)
    proposer.wait(lambda: len(proposer.driver.window_handles) == 2, "a tab opens")
    proposer.driver.close()
    proposer.driver.switch_to.window(next(tab for tab in proposer.driver.window_handles if tab != form))
    expect(proposer.path() == "/games/propose", f"to propose a game: {proposer.path()}")
    proposer.fill("name", "Dusk, My Own House Rules")
    proposer.press("Propose it")
    moderator.open("/moderation/games")
    moderator.act(moderator.one("[aria-label^='Decline Dusk, My Own']"), False)
    expect("Dusk, My Own" in moderator.one("#proposals").text, "declining takes a reason")
    moderator.fill(moderator.one("#proposals [name=reason]").get_attribute("id"), "House rules are no game of their own.")
    moderator.act(moderator.one("[aria-label^='Decline Dusk, My Own']"), True)
    expect(not moderator.all("#proposals"), "a proposal is declined")
    proposer.open("/games/propose")
    expect("House rules are no game of their own." in proposer.text(), "the proposer is told why")
    proposer.fill("name", "Lanterns of Dusk")
    proposer.fill("publisher", "Night Press")
    proposer.press("Propose it")
    expect("With the moderators" in proposer.text(), "the proposal is listed")
    moderator.open("/moderation/games")
    moderator.follow("Add it…")
    expect(moderator.one("#name").get_attribute("value") == "Lanterns of Dusk", "the form is filled in")
    moderator.act(moderator.one("#add button"), True)
    expect("lanterns-of-dusk" in moderator.text(), "the moderator adds it")
    proposer.open("/games/propose")
    expect("Added" in proposer.text(), "the proposer is told")
    proposer.follow("Upload a sheet for it")
    expect(proposer.one("#gameSystem option:checked").get_attribute("value") == "lanterns-of-dusk", "and can use it")


def opens_a_case(moderator):
    moderator.open("/moderation/people?q=han")
    moderator.follow("hanno")
    expect(not moderator.one("#until").is_displayed(), "a warning has no end")
    moderator.click("#impose input[value=suspend]")
    expect(moderator.one("#until").is_displayed(), "a suspension has")
    moderator.follow("open one")
    moderator.fill("note", "Two reviews within a minute.")
    moderator.press("Open the case")
    expect("Two reviews within a minute." in moderator.one("#notes").text, "the case begins with the note")
    moderator.open("/moderation/people")
    moderator.follow("Suspended")
    expect("Nobody" in moderator.text(), "nobody is suspended")


def main():
    options = arguments(__doc__, "--program", "--data")
    scene = scenes.furnish(options.base, options.program, options.data)
    with browsers(options) as browser:
        tess, hanno, nell, olga = (browser(name, scripts=False) for name in ("tess", "hanno", "nell", "olga"))
        for person, handle in ((tess, "tess"), (hanno, "hanno"), (nell, "nell"), (olga, "olga")):
            sign_in(person, handle)
        hears_of_news(hanno, tess, olga, scene)
        reads_reviews(nell, olga)
        hears_of_a_review(tess, hanno, scene)
        has_reviews_by_letter(tess, (hanno, nell), scene)
        appeals(tess, olga, scene)
        gets_a_game(hanno, olga)
        opens_a_case(olga)
        reads_the_letter(olga, hanno)


if __name__ == "__main__":
    main()
