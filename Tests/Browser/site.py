#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pages about the market in a browser, against a market that runs with its example sheets:

    site.py http://127.0.0.1:8080 --link http://127.0.0.1:8080/sign-in-link?code=… --program PATH/sheetmarket
        --data FOLDER --texts FOLDER [--pictures FOLDER]

A visitor reads, copies, searches and installs `sheets`, with scripts and without; another site frames a sheet's card; the
operator signs in by the link that `up` printed, and takes the first steps. The market has the texts of its operator: of
the privacy page and of the terms, each ending with a line that is looked for. Ends with 0 when all of it holds, else
prints what does not."""

import http.server
import pathlib
import shlex
import subprocess
import tempfile
import threading

from browser import arguments, browsers, expect

SHEET = "/sheets/oathbound-journal"

# Where the things that take the focus are, in the order in which they take it.
PLACES = """
return [...document.querySelectorAll('main a[href], main button, main input, main select, main textarea, main pre')]
  .filter((element) => element.getClientRects().length && !element.closest('svg, figure'))
  .map((element) => { const box = element.getBoundingClientRect();
    return {name: element.textContent.trim().slice(0, 40) || element.id, top: Math.round(box.top + scrollY),
            width: box.width, height: box.height, inline: element.closest('p, dd, dt, li, h1, h2, h3') !== null}; });
"""


class Elsewhere:
    """Another site, of one page."""

    def __init__(self, page):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write(page.encode())

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self.server.server_port}/"

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def visitor_reads(visitor, texts):
    for name in ("about", "guidelines", "help", "install", "licences", "privacy", "terms", "problems"):
        visitor.open("/")
        visitor.act(visitor.one(f"footer a[href='/{'docs' if name == 'problems' else name}']"), True)
        if name == "problems":
            visitor.follow("What each code of a problem means")
        expect(visitor.path() == f"/{name}", f"the footer leads to /{name}: {visitor.path()}")
        visitor.look(f"site-{name}")
        own = pathlib.Path(texts) / f"en/{name}.md"
        if own.exists():
            words = own.read_text(encoding="utf-8").splitlines()[-1]
            expect(words in visitor.one("main").text, f"/{name} has what the operator wrote: {visitor.one('main').text}")
    listed = [link.get_attribute("href") for link in visitor.all("footer a")]
    for path in ("/games", "/transparency", "/feeds/newest.atom"):
        expect(visitor.base + path in listed, f"the footer leads to {path}: {listed}")
    visitor.open("/guidelines")
    expect(visitor.all(".reasons dt") and visitor.all("#checks li"), "what moderators decide by is told")
    visitor.open("/problems/validation_failed")
    expect("What to do" in visitor.text(), "a code's page says what to do")


def copied(visitor, place):
    """What the button in that place copies, which is what stands beside it."""
    visitor.wait(lambda: place.find_elements("css selector", ".copy-button"), "there is a button to copy it")
    visitor.act(place.find_element("css selector", ".copy-button"), False)
    visitor.wait(lambda: "Copied" in place.text, "the button says that it has copied")
    text = visitor.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0], arguments[0])")
    shown = place.find_element("css selector", "code, pre").text
    expect(text == shown, f"it copies what stands there: {text!r}, {shown!r}")
    return text


def visitor_copies(visitor):
    """The command, and what other sites show; gives the card's text."""
    visitor.driver.execute_cdp_cmd(
        "Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
    visitor.open(SHEET)
    visitor.wait(lambda: visitor.all(".command .copy-button"), "the command has a button to copy it")
    visitor.unfold(".terminal")
    command = copied(visitor, visitor.one(".command"))
    expect(command == f"sheets install --server {visitor.base} oathbound-journal", f"it names the server: {command}")
    card, badge = [copied(visitor, place) for place in visitor.all("#share .copy")]
    expect("/embed/oathbound-journal" in card, f"the card is copied: {card}")
    expect(badge.startswith("[![") and visitor.base + SHEET in badge, f"and the badge, which leads here: {badge}")
    visitor.look("site-sheet")
    return card


def visitor_installs(visitor, plain):
    """The players' command, from a sheet's page: by the line that is copied, and by hand without scripts."""
    visitor.open(SHEET)
    visitor.unfold(".terminal")
    visitor.follow("how to get sheets")
    line = copied(visitor, visitor.one("#linux .copy"))
    expect(line == f"curl -fsSL {visitor.base}/install.sh | sh", f"it names this server: {line}")
    plain.open("/install")
    plain.act(plain.one("#by-hand a[download]"), False)
    file = plain.downloaded("")
    commands = plain.one("#by-hand pre").text
    use = plain.one("#use pre").text.replace("NAME", SHEET.split("/")[-1])
    plain.follow("Read the script first")
    expect("sha256sum -c" in plain.text(), f"the script can be read first: {plain.text()}")
    with tempfile.TemporaryDirectory(prefix="sm-install-") as folder:
        homes = [pathlib.Path(folder) / name for name in ("line", "hand")]
        for home, words in zip(homes, (line, commands)):
            home.mkdir()
            shell(words, home, file.parent)
            installed = home / ".local/bin/sheets"
            expect(installed.read_bytes() == file.read_bytes(), "the program is installed")
        told = shell(use, homes[0], file.parent)
        expect(told.count("oathbound-journal") > 1, f"it searches, installs and lists: {told}")
        file.write_bytes(b"#!/bin/sh\n")
        expect("FAILED" in shell(commands.splitlines()[0], homes[1], file.parent, 1), "other bytes are told of")


def shell(words, home, folder, status=0):
    """What one types, in a home of one's own."""
    done = subprocess.run(
        ["/bin/sh", "-c", words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300,
        env={"HOME": str(home), "PATH": f"{home}/.local/bin:/usr/bin:/bin"})
    expect(done.returncode == status, f"{words}: {done.returncode}, {done.stdout}")
    return done.stdout


def phone_order(visitor):
    """On a phone what takes the focus next stands below, and the anchors lead to places that are there."""
    visitor.open(SHEET)
    for width in (390, 320):
        visitor.window(width)
        is_read_downwards(visitor)
    for link in visitor.all(".places a"):
        target = link.get_attribute("href").split("#")[1]
        expect(visitor.all(f"#{target}"), f"the anchor #{target} leads somewhere")
    visitor.window()


def is_read_downwards(visitor):
    places = visitor.driver.execute_script(PLACES)
    expect(len(places) > 15, f"the sheet has things to press: {len(places)}")
    for before, after in zip(places, places[1:]):
        # Things of one line may differ by some pixels.
        what = f"{after['name']!r} stands below {before['name']!r}, as it is focused"
        expect(after["top"] > before["top"] - 45, what)


def visitor_searches_the_documentation(visitor, plain):
    visitor.open("/docs")
    shown = (
        "return [...document.querySelectorAll('.call-list li')]"
        ".filter((line) => line.getClientRects().length).length")
    everything = visitor.driver.execute_script(shown)
    visitor.fill("q", "review vote")
    visitor.wait(lambda: visitor.driver.execute_script(shown) < 5, "typing narrows the list")
    expect("call" in visitor.one("[data-filter-count]").text, "how many are left is said")
    visitor.one("#q").clear()
    visitor.fill("q", "v")
    visitor.driver.execute_script("q.value = ''; q.dispatchEvent(new Event('input'))")
    expect(visitor.driver.execute_script(shown) == everything, "an empty field shows all again")
    visitor.open("/docs/catalog")
    small = visitor.driver.execute_script(
        "return [...document.querySelectorAll('a[href]:not(.skip), summary, button')]"
        ".map((element) => [element.textContent.trim(), element.getBoundingClientRect().height])"
        ".filter((pair) => pair[1] > 0 && pair[1] < 23.5)")
    expect(not small, f"targets are at least 24 pixels high: {small[:5]}")
    visitor.look("site-docs-catalog")
    plain.open("/docs")
    plain.fill("q", "too many requests")
    plain.submit("form[role=search]")
    plain.follow("too_many_requests")
    expect(plain.path() == "/problems/too_many_requests", f"the search works without scripts: {plain.path()}")
    plain.open("/install")
    expect(not plain.all(".copy-button") and "install.sh | sh" in plain.text(), "the page says it without scripts, too")


def another_site_frames(visitor, card):
    """The card, as it was copied, shows on another site; the sheet's own page does not."""
    page = f"<iframe src='{visitor.base}{SHEET}' width=480 height=200></iframe>"
    with Elsewhere(f"<!doctype html><title>Elsewhere</title>{card}{page}") as address:
        visitor.driver.get(address)
        look_into_frames(visitor)


def look_into_frames(visitor):
    visitor.driver.switch_to.frame(0)
    visitor.wait(lambda: visitor.all("h1"), "the card is shown")
    expect("Oathbound Journal" in visitor.one("h1").text, "it names the sheet")
    visitor.driver.switch_to.default_content()
    visitor.driver.switch_to.frame(1)
    expect(not visitor.all("h1") or "Oathbound" not in visitor.one("h1").text, "the page itself is not framed")
    visitor.driver.switch_to.default_content()
    visitor.driver.get_log("browser")
    visitor.open("/embed/oathbound-journal")
    visitor.look("site-card")


def operator_signs_in(operator, link):
    """Without scripts, as all that follows."""
    operator.driver.get(link)
    operator.look("site-sign-in-link")
    operator.press("Sign in as admin")
    expect("Your first ten minutes" in operator.text(), "the front page helps the operator on")
    operator.look("site-first-steps")
    operator.open("/moderation")
    expect("You are the only moderator" in operator.text(), "a moderator who is alone is warned")
    operator.look("site-queue-alone")
    operator.driver.get(link)
    expect("used already" in operator.text(), "the link works once")


def steps(operator):
    """What the front page says an operator does first, by title, and whether it is done."""
    operator.open("/")
    return {step.find_element("css selector", "h3").text.removesuffix("done").strip(): "is-done" in (
        step.get_attribute("class") or "") for step in operator.all("#first-steps li")}


def operator_takes_first_steps(operator, other, program, data):
    """A password, the games, and a second moderator, by the command that the page shows; the rest are settings."""
    before = steps(operator)
    titles = ["Set your password", "Name the market", "Say where it is, and where you are", "Have e-mails sent",
              "Look over the games", "Find a second moderator"]
    expect(list(before) == titles, f"six steps: {before}")
    expect([title for title in titles if before[title]] == ["Look over the games"], f"games are there: {before}")
    expect("5 steps to go." in operator.one("#first-steps").text, "it counts what is left")
    settings = " ".join(line.text for line in operator.all("#first-steps pre"))
    for name in ("SHEETMARKET_NAME=", "SHEETMARKET_PUBLIC_URL=", "SHEETMARKET_CONTACT=", "SHEETMARKET_SMTP_URL="):
        expect(name in settings, f"settings are named: {settings}")
    operator.follow("Security of your account")
    operator.fill("password-field", "six plain words for the desk")
    operator.act(operator.one("#password button"), True)
    expect(steps(operator)["Set your password"], "the password is set")
    operator.open("/moderation")
    operator.act(operator.one("main a[href='/moderation/games']"), True)
    expect(len(operator.all("tbody tr")) > 5, "the games can be looked over")
    has_a_second_moderator(operator, other, program, data)
    operator.open("/account")
    operator.press("Sign out")
    operator.open("/login?next=/moderation")
    operator.fill("login", "admin")
    operator.fill("password", "six plain words for the desk")
    operator.submit()
    expect(operator.path() == "/moderation", f"and the password leads back in: {operator.path()}")
    expect(not operator.all("#alone"), "where nobody is warned of being alone any more")


def has_a_second_moderator(operator, other, program, data):
    other.open("/register")
    other.fill("handle", "mona")
    other.fill("email", "mona@example.org")
    other.fill("password", "four plain words do")
    other.submit()
    operator.open("/")
    line = next(line.text for line in operator.all("#first-steps pre") if "moderator" in line.text)
    words = shlex.split(line.replace("NAME", "mona").replace("DIR", shlex.quote(data)))
    expect(words[0] == "sheetmarket", f"the page says what to type: {line}")
    subprocess.run([program, *words[1:]], check=True, stdout=subprocess.DEVNULL, timeout=120)
    after = steps(operator)
    expect(after["Find a second moderator"], f"there are two now: {after}")
    expect("3 steps to go." in operator.one("#first-steps").text, "and less is left")


def main():
    options = arguments(__doc__, "--link", "--program", "--data", "--texts")
    with browsers(options) as browser:
        visitor, plain = browser("visitor"), browser("plain", scripts=False)
        visitor.wait(lambda: visitor.open(SHEET) or "Nothing here" not in visitor.text(), "the examples are there")
        visitor_reads(plain, options.texts)
        card = visitor_copies(visitor)
        visitor_installs(visitor, plain)
        phone_order(visitor)
        visitor_searches_the_documentation(visitor, plain)
        another_site_frames(visitor, card)
        operator = browser("operator", scripts=False)
        operator_signs_in(operator, options.link)
        operator_takes_first_steps(operator, plain, options.program, options.data)


if __name__ == "__main__":
    main()
