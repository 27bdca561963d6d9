#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The main job in a browser, against a market that runs:

    journey.py http://127.0.0.1:8080 sheet.pdf --moderator HANDLE --password PASSWORD [--pictures FOLDER]

An author registers and uploads the sheet, a moderator approves it, a visitor finds and downloads it. Every page on the
way is checked by axe, in light and in dark. Ends with 0 when all of it holds, else prints what does not."""

import pathlib

from browser import arguments, browsers, expect
from scene import one_time_code


def visitor_looks_around(visitor):
    """An empty market, and the ways to get lost in it."""
    visitor.open("/")
    visitor.look("home-empty")
    expect("No sheets yet" in visitor.text(), "an empty market says so")
    visitor.open("/collections")
    visitor.look("collections-none")
    expect("No collections yet" in visitor.text(), "no collections are told of")
    visitor.open("/?q=%22%CC%81%20autofocus%20x%3D%22%3Cscript%3E")
    expect(not visitor.all("input[autofocus]"), "a quotation mark with an accent stays inside its attribute")
    visitor.look("home-nothing-found")
    visitor.open("/sheets/there-is-none")
    visitor.look("not-found")
    expect("Nothing here" in visitor.text(), "an unknown sheet gets a page, not a problem document")
    visitor.open("/docs")
    expect("/api/v1/templates/{id}/versions/{v}/download" in visitor.text(), "the reference tells of every call")
    visitor.look("docs")
    visitor.open("/upload")
    expect(visitor.path() == "/login?next=/upload", f"the upload asks for an account: {visitor.path()}")
    visitor.look("sign-in")
    visitor.fill("login", "nobody")
    visitor.fill("password", "no such password")
    visitor.submit()
    visitor.look("sign-in-refused")
    expect("Name or password is wrong" in visitor.text(), "a wrong password is told of")


def author_registers(author):
    author.open("/register?next=/upload")
    author.fill("handle", "Not A Handle")
    author.fill("email", "tess@example.org")
    author.fill("password", "short")
    author.submit()
    author.look("register-mistakes")
    expect(len(author.all(".field.wrong")) == 2, "both mistakes are shown at their fields")
    expect(author.one("#email").get_attribute("value") == "tess@example.org", "what was right is kept")
    author.fill("handle", "Still None")
    author.fill("password", "four plain words do")
    author.submit()
    expect("is kept" in author.text() and not author.one("#password").get_attribute("value"), "a good password is kept")
    author.fill("handle", "tess-tinker")
    author.fill("displayName", "Tess Tinker")
    author.submit()
    expect(author.path() == "/account/welcome?next=/upload", f"registering leads on: {author.path()}")
    author.look("welcome")
    author.follow("Go on")
    expect(author.path() == "/upload", f"and to where one was going: {author.path()}")


# Keeps each thing that the page says of the inspection.
RECORD = """
const keep = () => {
  const said = ['[data-state-label]', '[data-step]'].map((part) => document.querySelector(part)?.textContent);
  const words = said.filter(Boolean).join(': ');
  if (words && !window.stages.includes(words)) window.stages.push(words);
};
window.stages = [];
keep();
new MutationObserver(keep)
  .observe(document.querySelector('main'), {subtree: true, childList: true, characterData: true});
"""


def author_uploads(author, sheet):
    """Once with mistakes, then rightly; returns the address of the submission."""
    author.look("upload")
    author.fill("name", "The Lamplighter's Folio")
    author.fill("summary", "Four calm pages for an investigator who writes everything down.")
    author.choose("gameSystem", "call-of-cthulhu")
    author.fill("tags", "fillable, Not A Tag")
    author.fill("version", "one")
    author.fill("changelog", "First edition.")
    author.fill("description", "Made for long campaigns.\nPrint it on A4, or fill it in.")
    author.one("#file").send_keys(str(sheet))
    author.submit("form[data-upload]", leaves=False)
    author.wait(lambda: author.all(".field.wrong"), "the mistakes come back")
    author.look("upload-mistakes")
    expect(author.one("#name").get_attribute("value") == "The Lamplighter's Folio", "the form is filled in again")
    expect(author.one("#file").get_property("files"), "the chosen file is kept")
    author.fill("tags", "fillable, investigation")
    author.fill("version", "1.0.0")
    author.submit("form[data-upload]", leaves=False)
    author.wait(lambda: author.path().startswith("/submissions/"), "the upload leads to its own page")
    author.driver.execute_script(RECORD)
    author.mark()
    author.look("submission-early", axe=False)
    author.wait(lambda: "Waiting for a moderator" in author.text(), "the inspection is seen to its end", seconds=600)
    stages = author.driver.execute_script("return window.stages")
    expect(len(stages) > 1, f"which tells each stage as it comes, without being loaded again: {stages}")
    author.wait(lambda: author.all("figure.page img"), "the pages appear")
    author.look("submission-waiting")
    return author.path()


def author_corrects_regions(author, address):
    """Right after the upload, before a moderator has seen it."""
    author.follow("Correct the zoom regions")
    author.one(".region-rows summary").click()
    author.fill(author.one(".region-rows li:first-child [name^=name-]").get_attribute("id"), "Who it is about")
    author.press("Save this page")
    expect("Saved." in author.text(), "zoom regions are corrected at once")
    author.act(author.one("[data-saved] a"), True)
    expect(author.path() == address, f"which leads back to the upload: {author.path()}")
    names = [chip.text for chip in author.all("#page-1 [data-region]")]
    expect(names[0] == "Who it is about", f"whose page has what was corrected: {names}")
    author.mark()


def moderator_decides(moderator, handle, password):
    moderator.open("/login?next=/moderation")
    moderator.fill("login", handle)
    moderator.fill("password", password)
    moderator.submit()
    expect(moderator.path() == "/moderation", f"signing in leads on: {moderator.path()}")
    moderator.look("queue")
    moderator.follow("The Lamplighter's Folio")
    moderator.look("case-open")
    moderator_looks_closer(moderator)
    moderator.press("Claim")
    moderator.look("case-claimed")
    moderator.click("input[name=decision][value=reject]")
    moderator.choose("reasonCode", "not_a_sheet")
    moderator.fill("message", "")
    moderator.press("Record the decision")
    expect("Tell the uploader why" in moderator.text(), "a rejection without a word is not taken")
    moderator.look("case-mistake")
    moderator.click("input[name=decision][value=approve]")
    expect(moderator.one("#reasonCode").get_attribute("value") == "meets_guidelines", "the reasons follow the decision")
    moderator.press("Record the decision")
    expect("Approved" in moderator.text(), "the case shows the decision")
    moderator.look("case-decided")


def moderator_looks_closer(moderator):
    """The pages as the sandboxed reader drew them, in the viewer, in windows of each width."""
    for width in moderator.each_width():
        moderator.one("#page-1 [data-region] a").click()
        moderator.wait(lambda: moderator.all("dialog[open]"), f"the viewer opens on a case at {width} px")
        said = moderator.one("dialog [data-said]").get_property("textContent")
        expect(said.startswith("Who it is about, region 1 of"), f"it goes to a region at {width} px: {said}")
        moderator.wait(
            lambda: moderator.driver.execute_script(
                "const box = document.querySelector('dialog [data-sheet] svg g.on').getBoundingClientRect();"
                "return box.left >= -1 && box.right <= innerWidth + 1 && box.width > innerWidth / 4"),
            f"which fills the window at {width} px", 20)
        moderator.escape()
        moderator.wait(lambda: not moderator.all("dialog[open]"), "Escape leads back to the case")


def visitor_finds_and_downloads(visitor, sheet):
    visitor.open("/")
    visitor.look("home")
    visitor.fill("q", "lamplighter")
    visitor.submit("form[role=search]")
    visitor.look("search")
    expect(len(visitor.all(".card")) == 1, "the search finds the sheet")
    visitor.follow("The Lamplighter's Folio")
    expect(visitor.path() == "/sheets/the-lamplighters-folio" or visitor.path().startswith("/sheets/"), visitor.path())
    visitor.look("sheet")
    for address in visitor.pictures():
        expect(visitor.is_loaded(address), f"the picture {address} is there")
    visitor.click("[data-region] a")
    visitor.wait(lambda: visitor.all("dialog[open]"), "a region is magnified")
    visitor.escape()
    visitor.wait(lambda: not visitor.all("dialog[open]"), "Escape leads back")
    visitor.click("[data-download]")
    file = visitor.downloaded()
    expect(file.read_bytes() == sheet.read_bytes(), "the downloaded bytes are the author's")


def moderator_keeps_collections(moderator, visitor):
    """Makes a collection, adds the sheet, which visitors find there and at its author's, and deletes it."""
    sheet = visitor.path().split("/")[-1]
    moderator.open("/collections")
    moderator.follow("New collection")
    moderator.look("collection-new")
    moderator.fill("title", "First night")
    moderator.fill("slug", "First Night")
    moderator.fill("summary", "All that a new table needs.")
    moderator.fill("sheets", "no-such-sheet Try it.")
    moderator.press("Save")
    moderator.look("collection-mistakes")
    expect("Lower-case letters" in moderator.text(), "an address that is none is told of")
    moderator.fill("slug", "first-night")
    moderator.press("Save")
    expect("Line 1: There is no sheet" in moderator.text(), "a sheet that is none is told of")
    moderator.fill("sheets", "")
    moderator.press("Save")
    expect(moderator.path() == "/collections/first-night", f"saving leads to the collection: {moderator.path()}")
    moderator.look("collection-empty")
    moderator.open(f"/sheets/{sheet}")
    moderator.follow("Add to a collection")
    moderator.look("collection-add")
    moderator.click("input[name=collection]")
    moderator.press("Add it")
    moderator.follow("Edit")
    moderator.look("collection-edit")
    moderator.fill("sheets", f"{sheet} For who writes everything down.")
    moderator.press("Save")
    moderator.look("collection-moderator")
    visitor.open("/")
    visitor.look("home-collections")
    visitor.follow("All collections")
    visitor.look("collections")
    visitor.follow("First night")
    visitor.look("collection")
    expect("For who writes everything down." in visitor.text(), "the note says why a sheet is there")
    visitor.follow("The Lamplighter's Folio")
    visitor.follow("tess-tinker")
    visitor.look("author")
    expect(visitor.path() == "/authors/tess-tinker" and len(visitor.all(".card")) == 1, visitor.path())
    moderator.follow("Delete")
    moderator.look("collection-delete")
    moderator.press("Delete it")
    expect("No collections yet" in moderator.text(), "the collection is gone")


def author_reports(author):
    """Reports a sheet, and looks at what became of reports and what was decided."""
    author.open("/?q=lamplighter")
    author.follow("The Lamplighter's Folio")
    author.follow("Report this sheet")
    author.look("report")
    author.click("input[name=reason][value=misleading]")
    author.fill("text", "The last page is upside down.")
    author.press("Send the report")
    author.look("report-sent")
    expect("Your report is with the moderators" in author.text(), "what comes next is told")
    author.follow("your reports")
    author.look("reports")
    expect("The last page is upside down." in author.text(), "one's own report is listed")
    author.open("/account")
    author.follow("Decisions and appeals")
    author.look("appeals")
    expect("Nothing stands against your account." in author.text(), "nothing was decided against the author")


def moderator_decides_notice(moderator, number, decision):
    """On the page for it, found by its tab."""
    moderator.open("/moderation")
    moderator.follow("Copyright")
    if decision != "accept":
        moderator.open("/moderation/copyright?state=countered")
    moderator.look(f"copyright-claims-{decision}")
    moderator.follow("The Lamplighter's Folio")
    expect(moderator.path() == f"/moderation/copyright/{number}", moderator.path())
    moderator.click(f"input[name=decision][value={decision}]")
    moderator.fill("message", "Looked at it.")
    moderator.look(f"copyright-claim-{decision}")
    moderator.press("Enter the decision")
    expect("Your decision is entered" in moderator.text(), f"the notice is decided on: {decision}")


def visitor_gives_a_notice(visitor, author, moderator):
    """Without an account; the author objects, and it is taken back."""
    visitor.open("/?q=lamplighter")
    visitor.follow("The Lamplighter's Folio")
    sheet = visitor.path()
    visitor.follow("Copyright notice")
    visitor.look("copyright")
    visitor.fill("work", "The Lamp, page 12")
    visitor.fill("explanation", "The second page is my drawing.")
    visitor.fill("name", "Cora Copeland")
    visitor.fill("email", "cora@nowhere")
    visitor.fill("phone", "+1 555 0100")
    visitor.fill("address", "1 Main Street")
    visitor.click("input[name=inGoodFaith]")
    visitor.click("input[name=underPenaltyOfPerjury]")
    visitor.fill("signature", "Cora Copeland")
    visitor.press("Send the notice")
    visitor.look("copyright-mistake")
    expect(len(visitor.all(".field.wrong")) == 1, "the mistake is shown at its field")
    expect(visitor.one("#work").get_attribute("value") == "The Lamp, page 12", "what was typed is kept")
    visitor.fill("email", "cora@example.org")
    visitor.press("Send the notice")
    visitor.look("copyright-sent")
    number = visitor.one("#number").text
    moderator_decides_notice(moderator, number, "accept")
    visitor.open(sheet)
    visitor.look("taken-down")
    expect("This was taken down" in visitor.text(), "the sheet is down")
    author.open("/account/appeals")
    author.look("appeals-copyright")
    author.follow("The copyright notice")
    author.look("copyright-notice")
    author.fill("explanation", "I drew it, see my sketches.")
    author.fill("name", "Tess Tinker")
    author.fill("phone", "+1 555 0101")
    author.fill("address", "2 Side Street")
    author.click("input[name=underPenaltyOfPerjury]")
    author.click("input[name=consentsToJurisdiction]")
    author.fill("signature", "Tess Tinker")
    author.press("Send the counter-notice")
    author.look("copyright-countered")
    expect("Your counter-notice came in" in author.text(), "the objection is told of")
    moderator_decides_notice(moderator, number, "withdraw")
    author.open(f"/account/copyright/{number}")
    expect("Put back" in author.text(), "the sheet is back")


def author_manages_the_sheet(author, other, visitor):
    """Mends the entry, withdraws the version and puts it back, deprecates the sheet, and asks somebody along."""
    author.open("/?q=lamplighter")
    author.follow("The Lamplighter's Folio")
    author.follow("Manage this sheet")
    author.look("manage")
    author.fill("tags", "fillable, Not A Tag")
    author.press("Save")
    author.look("manage-mistake")
    expect(len(author.all(".field.wrong")) == 1, "the mistake is shown at its field")
    expect(author.one("#tags").get_attribute("value") == "fillable, Not A Tag", "what was typed is kept")
    author.fill("tags", "fillable, investigation")
    author.press("Save")
    expect("Saved." in author.text(), "the entry is saved")
    author.click("[id='version-1.0.0'] summary")
    author.fill("reason-0", "A wrong table.")
    author.press("Yes, withdraw 1.0.0")
    author.look("manage-withdrawn")
    expect("Nothing of this sheet is on offer" in author.text(), "the version is withdrawn")
    author.press("Put 1.0.0 back on offer")
    author.fill("message", "A better one is coming.")
    author.press("Deprecate")
    author.look("manage-deprecated")
    visitor.open("/?q=lamplighter")
    visitor.follow("The Lamplighter's Folio")
    visitor.look("sheet-deprecated")
    told = visitor.one("#deprecated").text
    expect("This sheet is deprecated" in told and "A better one is coming." in told, f"everybody is told: {told}")
    author.press("No longer deprecated")
    author.fill("invite-handle", other)
    author.press("Ask")
    author.click("#hand-over summary")
    author.look("manage-invited")
    expect("is asked to be a maintainer" in author.text(), "the invitation is listed")
    author.press("Withdraw")
    expect("The invitation is withdrawn" in author.text(), "and withdrawn")


def author_keeps_tokens(author):
    author.open("/account")
    author.look("account")
    once = author.one("input[name=once]").get_attribute("value")
    author.fill("token-name", "my laptop")
    author.press("Make a token")
    expect(author.one("#new-token").text.startswith("smk_"), "the new token is shown")
    author.look("account-new-token")
    author.driver.execute_script("document.querySelector('input[name=once]').value = arguments[0]", once)
    author.fill("token-name", "my laptop")
    author.press("Make a token")
    author.look("made-already")
    expect("This was made already" in author.text(), "the same form makes nothing more")
    author.follow("Back to the page")
    expect(not author.all("#new-token"), "the token is shown once")
    author.press("Revoke")
    expect(not author.all("button[aria-label^=Revoke]"), "the token is revoked")
    author.follow("Webhooks")
    author.look("webhooks-none")
    author.fill("url", "https://hook.example/news")
    author.press("Make a webhook")
    expect(author.one("#new-secret").text.startswith("whsec_"), "the webhook's secret is shown")
    author.look("webhooks-new")
    author.follow("See whether a ping arrives")
    author.press("Send a ping")
    author.look("webhook")
    expect("A ping is on its way" in author.text(), "the ping is told of")
    author.press("Turn it off")
    author.look("webhook-off")
    author.click("#delete summary")
    author.click("#delete input[name=sure]")
    author.press("Delete")
    expect("The webhook is deleted" in author.text(), "the webhook is gone")
    author.open("/account")
    author.follow("Ways to sign in")
    author.look("identities")
    author.follow("Your account")
    author.follow("Your data")
    author.look("privacy")
    author.press("Erase my account")
    author.look("privacy-erasing")
    expect("Your account will be erased" in author.text(), "the wish is noted")
    author.press("Keep my account")
    expect("Have it erased" in author.text(), "and taken back")
    author.open("/account")
    author.press("Sign out")
    author.open("/account")
    expect(author.path().startswith("/login"), "signed out is signed out")


def author_guards_the_account(author):
    """Sets up a second factor, signs in with it, and turns it off again."""
    author.open("/login?next=/account/security")
    author.fill("login", "tess-tinker")
    author.fill("password", "four plain words do")
    author.submit()
    expect(author.path() == "/account/security", f"signing in leads on: {author.path()}")
    author.look("security")
    expect("this one" in author.text(), "the browser knows itself in the list")
    author.follow("Set one up")
    author.look("second-factor-start")
    author.press("Set it up")
    author.look("second-factor-setup")
    secret = author.one("#secret").text
    author.fill("code", "000000")
    author.press("Turn it on")
    author.look("second-factor-wrong-code")
    expect("This code is not right" in author.text(), "a wrong code is told of")
    expect(author.one("#secret").text == secret, "and the secret stays the same")
    author.fill("code", one_time_code(secret))
    author.press("Turn it on")
    author.look("recovery-codes")
    codes = [code.text for code in author.all("#codes code")]
    expect(len(set(codes)) == 10, f"ten recovery codes: {codes}")
    author.follow("I have kept them")
    author.look("security-with-factor")
    author.open("/account")
    author.press("Sign out")
    author.open("/login?next=/account/security")
    author.fill("login", "tess-tinker")
    author.fill("password", "four plain words do")
    author.submit()
    author.look("second-step")
    author.fill("code", "999-999")
    author.submit()
    author.look("second-step-refused")
    author.fill("code", codes[2])
    author.submit()
    expect(author.path() == "/account/security", f"the second step leads on: {author.path()}")
    expect("9 recovery codes" in author.text(), "one code is used up")
    author.open("/account/confirm?next=/account")
    author.look("confirm")
    author.fill("code", codes[2])
    author.submit()
    expect("This code is not right" in author.text(), "a recovery code works once")
    author.fill("code", codes[3])
    author.submit()
    expect(author.path() == "/account", f"confirming leads on: {author.path()}")
    author.open("/account/security")
    author.fill("email-field", "tess@example.net")
    author.press("Send the link")
    expect("An e-mail with a link is on its way" in author.text(), "the e-mail is told of")
    author.fill("password-field", "1q2w3e4r5t")
    author.press("Change it")
    author.look("security-leaked-password")
    expect("leaks of other sites" in author.text(), "a leaked password is refused")
    author.press("Turn it off")
    expect("Your second factor is off" in author.text(), "the second factor is off again")


def visitor_follows_emails(visitor):
    """The pages that e-mails lead to, with links that hold no more."""
    visitor.open("/login")
    visitor.follow("Forgotten your password?")
    visitor.look("forgot-password")
    visitor.fill("login", "nobody-at-all")
    visitor.submit()
    visitor.look("forgot-password-asked")
    expect("If there is such an account" in visitor.text(), "the answer tells nothing")
    visitor.open("/reset-password?token=none")
    visitor.look("reset-password-over")
    visitor.open("/verify-email?token=none")
    visitor.look("verify-email")
    visitor.press("Yes, it is mine")
    visitor.look("verify-email-over")
    expect("too old" in visitor.text(), "a link that holds no more is told of")


def plain_author_uploads(plain, sheet):
    """The same without any script."""
    plain.open("/upload")
    plain.fill("name", "Scriptless Sheet")
    plain.fill("summary", "Sent by a browser that runs no scripts.")
    plain.choose("gameSystem", "dnd5e")
    plain.fill("language", "Lanternish")
    plain.one("#file").send_keys(str(sheet))
    plain.submit("form[data-upload]")
    expect("No language that IANA's registry knows" in plain.one("#language-mistake").text, "a language that is none")
    plain.fill("language", "Deutsch")
    plain.one("#file").send_keys(str(sheet))
    plain.submit("form[data-upload]")
    plain.wait(lambda: plain.path().startswith("/submissions/"), "the plain form uploads")
    expect("follows along" not in plain.text(), "without scripts the page does not say that it turns by itself")
    plain.click("#withdraw summary")
    plain.press("Yes, withdraw it")
    expect("Withdrawn" in plain.text(), "an upload can be taken back")


def main():
    options = arguments(__doc__, "sheet", "--moderator", "--password")
    sheet = pathlib.Path(options.sheet).resolve()
    with browsers(options) as browser:
        visitor, author, moderator = browser("visitor"), browser("author"), browser("moderator")
        visitor_looks_around(visitor)
        author_registers(author)
        address = author_uploads(author, sheet)
        author_corrects_regions(author, address)
        moderator_decides(moderator, options.moderator, options.password)
        author.wait(lambda: "Everybody can find and install it now" in author.text(), "the author's page turns by itself")
        expect(author.is_marked() and author.path() == address, "it turned without being loaded again")
        author.look("submission-published")
        expect("Manage it" in author.text(), "and leads to managing the sheet")
        visitor_finds_and_downloads(visitor, sheet)
        moderator_keeps_collections(moderator, visitor)
        author_reports(author)
        # From here on without scripts.
        for person in (visitor, author, moderator):
            person.run_scripts(False)
        author_manages_the_sheet(author, options.moderator, visitor)
        visitor_gives_a_notice(visitor, author, moderator)
        author_keeps_tokens(author)
        author_guards_the_account(author)
        visitor_follows_emails(visitor)
        plain_author_uploads(author, sheet)


if __name__ == "__main__":
    main()
