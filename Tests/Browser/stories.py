#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a market tells each of its people, without scripts and in windows of every width, against one with its examples:

    stories.py http://127.0.0.1:8080 --program PATH/sheetmarket --data FOLDER [--pictures FOLDER]

Visitors and the machines of others read what a sheet's page and the market say of themselves; who has downloaded a
sheet is told beside their review; an author reads the statistics, and somebody works on a sheet with them; moderators
see what is late, decide a report, read a file and try rules; an administrator has work done again. Goes on with what
another story furnished; the market has SHEETMARKET_CONTACT=desk@example.org and SHEETMARKET_OUTGOING_ALLOW_PRIVATE=on.
Ends with 0 when all of it holds."""

import csv
import datetime
import http.server
import json
import pathlib
import re
import subprocess
import tempfile
import threading

from selenium.webdriver import ActionChains

import scene as scenes
from browser import arguments, browsers, expect
from meetings import sign_in
from regions import renames_the_first

SHEET = "/sheets/oathbound-journal"


def fits(person, *words):
    """In each window the page says these words where one can read them, and nothing is cut off."""
    for width in person.each_width():
        text = " ".join(person.text().split())
        for each in words:
            expect(each in text, f"{person.path()} says {each!r} at {width} px: {text}")
        wide = person.driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
        expect(wide <= 0, f"{person.path()} fits {width} px: {wide} px more")


def row(person, words):
    """The line of a table that has these words."""
    found = [line for line in person.all("tbody tr") if words in line.text]
    expect(found, f"{person.path()} has a line with {words!r}: {person.text()}")
    return found[0]


def row_of(person, lines, code):
    """The line of a table that begins with this code."""
    return next(line for line in person.all(lines) if line.find_element("css selector", ".lead-cell").text == code)


def figure(line, column):
    """The number in that column of a table's line."""
    return int(line.find_element("css selector", f"[data-label='{column}']").text)


def answer(person, address):
    """What the market answers to a program, in words."""
    return person.driver.execute_async_script(
        "const [address, done] = arguments; fetch(address).then((told) => told.text()).then(done, String);", address)


# Everybody


def reads_a_sheets_page(visitor):
    visitor.open(SHEET)
    closes_the_hint(visitor, SHEET, "zoom regions")
    shows_a_phone_what_it_is(visitor)
    visitor.unfold(".terminal")
    fits(visitor, "Share and change it, also to sell", "offered", "how to get sheets", "Share this sheet", "CC-BY-4.0")
    visitor.follow("Creative Commons Attribution 4.0")
    expect(visitor.path() == "/licences", f"the licence leads to what it means: {visitor.path()}")
    expect("name the author" in visitor.one("[id='CC-BY-4.0'] + dd").text, "in one sentence")
    visitor.open(SHEET)
    visitor.act(visitor.one("#versions a[href='/help#offered']"), True)
    expect(visitor.one("#offered").is_displayed(), "and 'offered' to what that means")
    visitor.open(SHEET)
    visitor.unfold(".terminal")
    visitor.follow("how to get sheets")
    expect(visitor.path() == "/install" and visitor.base in visitor.text(), "the command leads to how to get it here")


def shows_a_phone_what_it_is(visitor):
    """The first page and the download are in sight on a phone, and the command, which is of no use there, is folded."""
    def is_seen(selector):
        return visitor.driver.execute_script(
            "const one = document.querySelector(arguments[0]); const box = one.getBoundingClientRect();"
            "return one.checkVisibility({contentVisibilityAuto: true}) && box.width > 0 && box.top >= 0"
            " && box.bottom <= innerHeight;", selector)

    expect(is_seen(".command") and not is_seen(".glance"), "a desk has the command, and the pages large")
    visitor.window(390, 780)
    visitor.open(SHEET)
    expect(is_seen(".glance img") and is_seen("[data-download]"), "a phone shows a page and the download at once")
    expect(not is_seen(".command"), "and no command")
    visitor.one(".terminal > summary").click()
    expect(visitor.one(".command").is_displayed(), "unless it is wanted")
    visitor.window()
    visitor.open(SHEET)


def closes_the_hint(person, path, words):
    """Which the first visit of this page has, and which comes back for who asks for it."""
    expect(words in person.one(".visit-hint").text, f"the first visit of {path} has a hint")
    person.act(person.one(".visit-hint button"), True)
    expect(person.path() == path and not person.all(".visit-hint"), "which is closed for good")
    person.open("/help")
    person.press("Show the hints again")
    person.open(path)
    expect(person.all(".visit-hint"), "until it is wanted again")


def tells_others(visitor):
    """What other sites, search engines and programs are told of a sheet and of the market."""
    visitor.open(SHEET)
    head = visitor.driver.execute_script(
        "return Object.fromEntries([...document.querySelectorAll('meta[property], link[rel]')].map((one) =>"
        " [one.getAttribute('property') ?? one.rel + ' ' + one.type, one.content ?? one.href]))")
    address = visitor.base + SHEET
    expect(head["canonical "] == address == head["og:url"], f"one address is the page's own: {head}")
    expect(head["og:title"] == visitor.one("h1").text and head["og:description"], f"others can show what it is: {head}")
    expect(visitor.is_loaded(head["og:image"]), "with a picture")
    told = json.loads(visitor.one("script[type='application/ld+json']").get_property("textContent"))
    expect(told["name"] == "Oathbound Journal" and told["url"] == address, f"search engines read data: {told}")
    expect(told["aggregateRating"]["ratingCount"] >= 3, f"with the rating: {told}")
    badge, card = visitor.one("#share .badge").get_attribute("src"), head["alternate application/json+oembed"]
    expect(visitor.is_loaded(badge), "the badge is there")
    written = answer(visitor, badge)
    expect("version 1." in written and "of 5 stars" in written, f"with version and rating: {written}")
    expect("/embed/oathbound-journal" in answer(visitor, card), "sites that ask how to frame it are told")
    feed = head["alternate application/atom+xml"]
    expect("Oathbound Journal" in answer(visitor, feed), "the page's feed is there")
    expect(head["manifest "] == f"{visitor.base}/manifest.webmanifest", "and the pages can be installed as an app")


def answers_programs(visitor):
    for path, words in (
            ("/robots.txt", f"Sitemap: {visitor.base}/sitemap.xml"),
            ("/.well-known/security.txt", "Contact: mailto:desk@example.org"),
            ("/manifest.webmanifest", "icon-512.png")):
        expect(words in answer(visitor, path), f"{path} says {words!r}: {answer(visitor, path)}")
    parts = re.findall(r"<loc>([^<]+)</loc>", answer(visitor, "/sitemap.xml"))
    listed = [place for part in parts for place in re.findall(r"<loc>([^<]+)</loc>", answer(visitor, part))]
    for path in (SHEET, "/help"):
        expect(visitor.base + path in listed, f"the map of the site has {path}: {listed}")
    told = visitor.driver.execute_cdp_cmd("Page.getAppManifest", {})
    expect(told["url"].endswith("/manifest.webmanifest") and not told["errors"], f"a browser can install it: {told}")
    for icon in visitor.all("link[rel*=icon]"):
        expect(visitor.is_loaded(icon.get_attribute("href")), f"an icon is there: {icon.get_attribute('href')}")


def is_told_of_mistakes(visitor):
    """A parameter that is none is refused by its name, and the problem's address is a page of this server."""
    visitor.open("/?gamesystem=cairn")
    fits(visitor, "gamesystem: There is no such parameter here. Did you mean 'gameSystem'?", "400")
    visitor.open("/api/v1/templates?gamesystem=cairn")
    problem = json.loads(visitor.text())
    told = [fault["pointer"] for fault in problem["errors"]]
    expect(problem["status"] == 400 and told == ["gamesystem"], f"it names what it does not know: {problem}")
    expect("Did you mean 'gameSystem'?" in problem["errors"][0]["detail"], f"and what is near: {problem}")
    kind = problem["type"]
    expect(kind.startswith(visitor.base), f"the problem's type is an address of this server: {kind}")
    visitor.driver.get(kind)
    fits(visitor, "What to do")


def finds_its_way(visitor, scene):
    """The front page of a market that began with examples, and what its list can be narrowed by; not all are sheets."""
    pack = scene.people["tess"].upload("lantern-and-blade", file=scenes.WORDS, name="Words of Dusk", version="1.0.0")
    scene.decide(pack, "approve", "meets_guidelines", "Welcome.")
    visitor.open("/")
    expect(len(visitor.all(".shelves li")) >= 2, "a first start has two collections")
    groups = [heading.get_property("textContent") for heading in visitor.all(".filters h2")]
    expect({"Language", "Form fields", "Licence", "Tags", "Rating", "Pages", "Kind"} == set(groups),
           f"what narrows: {groups}")
    groups = ("language", "fillable", "license", "tag", "minRating", "pages", "kind")
    for width in visitor.each_width():
        # On the narrowest they stand as on any phone.
        for group in groups if width > 320 else ("tag",):
            visitor.open("/")
            narrows_by(visitor, group, width)
            # A number of pages has two: from and to.
            while visitor.all(".chip.on"):
                visitor.one(".chip.on").click()
            expect(visitor.path() == "/", f"the chip takes it out: {visitor.path()}")
        narrows_by(visitor, "kind", width)
        narrows_by(visitor, "fillable", width)
        opens_filters(visitor, width)
        points(visitor, visitor.one(".filters nav > p a"))
        expect(visitor.path() == "/", f"or all are taken out: {visitor.path()}")
    visitor.window()
    visitor.open("/?license=CC-BY-4.0")
    expect("Licence: CC BY 4.0" in visitor.one(".chip.on").text, "a licence is told as people write it")


def opens_filters(visitor, width):
    """On a wide screen they stand beside the list."""
    if width < 1280:
        visitor.one(".filters > summary").click()


def points(visitor, element):
    """With the mouse: selenium takes what is in closed details for hidden, whatever the style sheet does."""
    before = visitor.one("html")
    ActionChains(visitor.driver).scroll_to_element(element).move_to_element(element).click().perform()
    visitor.wait(lambda: visitor.has_left(before), "it leads on")


def narrows_by(visitor, group, width):
    """The panel's first choice of a kind, whose number is that of the sheets that are left."""
    opens_filters(visitor, width)
    option = visitor.one(f"ul[aria-labelledby=filter-{group}] a")
    name, count = (option.find_element("css selector", part).get_property("textContent") for part in ("span", ".number"))
    points(visitor, option)
    expect(len(visitor.all(".card")) == min(int(count.split()[0]), 24), f"{name} leaves {count} at {width} px")
    chosen = [one.get_property("textContent") for one in visitor.all(".filters nav a.on")]
    expect(any(one.startswith(name) for one in chosen), f"the panel marks what is chosen: {name}, {chosen}")
    expect(len(visitor.all(".chip.on")) >= len(chosen), f"and a chip says each: {chosen}")


def reads_the_quick_start(visitor):
    visitor.open("/docs")
    fits(visitor, "curl", "Swift", "Python", f"{visitor.base}/api/v1/templates")
    size = visitor.driver.execute_script("return performance.getEntriesByType('navigation')[0].encodedBodySize")
    expect(0 < size < 100_000, f"the page is light: {size}")


# Players and authors


class Hook(http.server.ThreadingHTTPServer):
    """An author's own program, which is told what happens."""

    def __init__(self):
        self.told = told = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                told.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


def makes_a_webhook(author, hook):
    author.open("/account/webhooks")
    author.fill("url", f"http://127.0.0.1:{hook.server_port}/reviews")
    for box in author.all("input[name=event]"):
        if box.is_selected() != (box.get_attribute("value") == "review.created"):
            box.click()
    author.press("Make a webhook")
    author.follow("See whether a ping arrives")
    expect("a review was written" in author.one("#settings").text, "it is for new reviews")
    return author.path()


def hears_by_webhook(author, hook, page):
    """Of the review that was written meanwhile; its page says that it arrived."""
    author.wait(lambda: [event for event in hook.told if event["type"] == "review.created"], "the program is told", 90)
    author.wait(
        lambda: author.open(page) or "a review was written" in author.one("#deliveries").text.lower()
        and "Answered 204" in author.one("#deliveries").text, "and the page says so", 90)


def has_a_sheet(reader, visitor, scene):
    """Who has downloaded what they review is told so beside it, to everybody."""
    reader.open(f"/sheets/{scene.sheet}")
    reader.click("[data-download]")
    reader.downloaded()
    reader.open(f"/sheets/{scene.sheet}")
    reader.click("input[name=stars][value='4']")
    reader.fill("review-text", "On my table every week.")
    reader.act(reader.one("#review-form button"), True)

    def line():
        visitor.open(f"/sheets/{scene.sheet}")
        return next((one.text for one in visitor.all(".reviews > li") if "every week" in one.text), "")

    visitor.wait(lambda: "has this sheet" in line(), "the review says that its writer has the sheet")
    visitor.wait(
        lambda: visitor.driver.refresh() or re.search(r"\b1 download\b", visitor.one(".get").text),
        "one is told in the singular")


def come_by_a_search(readers, scene):
    for reader in readers:
        reader.open("/")
        reader.fill("q", "lamplighter")
        reader.act(reader.one(".searchbar button"), True)
        reader.follow("Lamplighter's Folio")


def come_from_elsewhere(people, scene):
    """By a link on another site, as three people do who were not there before on that day."""
    for person in people:
        before = person.one("html")
        person.driver.execute_cdp_cmd(
            "Page.navigate",
            {"url": f"{person.base}/sheets/{scene.sheet}", "referrer": "http://forum.example/thread?by=7"})
        person.wait(lambda: person.has_left(before), "the link leads on")
        expect("Lamplighter's Folio" in person.one("h1").text, "the sheet is shown")


def installs(scene):
    """By the players' command."""
    with tempfile.TemporaryDirectory(prefix="sm-player-") as home:
        done = subprocess.run(
            [pathlib.Path(scene.program).with_name("sheets"), "install", "--no-progress", "--server", scene.base, scene.sheet],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, env={"HOME": home, "PATH": "/usr/bin:/bin"})
        expect(done.returncode == 0, f"sheets installs it: {done.stdout}")


def file_of(author, label):
    """The lines of the file that a link of the page leads to."""
    for old in author.downloads.glob("*.csv"):
        old.unlink()
    author.act(author.one(f"a[aria-label='{label}']") if label != "Days as CSV"
               else author.driver.find_element("link text", label), False)
    return list(csv.reader(author.downloaded(".csv").read_text(encoding="utf-8").splitlines()))


def reads_files(author):
    """Each table comes as a file."""
    lines = file_of(author, "Versions as CSV")
    expect(lines[0] == ["version", "downloads", "installs"], f"versions come as a file: {lines}")
    expect(["1.1.0", "2", "1"] in lines, f"with one install: {lines}")
    days = file_of(author, "Days as CSV")
    expect(days[0] == ["day", "downloads", "installs", "visits"] and len(days) == 366, f"and days: {days[0]}, {len(days)}")
    counts = [sum(int(day[place]) for day in days[1:]) for place in (1, 2)]
    expect(counts == [2, 1], f"downloads and installs by day: {counts}")
    for label, wanted in (("Where visitors came from, as CSV", ["forum.example", "3"]),
                          ("Searches as CSV", ["lamplighter", "3"])):
        expect(wanted in file_of(author, label), f"{label}: {file_of(author, label)}")
    lines = file_of(author, "Rating over time, as CSV")
    expect(lines[0] == ["day", "reviews", "mean"] and int(lines[-1][1]) >= 3, f"and the rating: {lines}")


def reads_statistics(author, scene):
    # What came of it is written once a minute.
    author.wait(
        lambda: author.open(f"/sheets/{scene.sheet}/downloads")
        or {"lamplighter 3", "forum.example 3", "1.1.0 2 1"} <= {
            " ".join(line.text.split()) for line in author.all("tbody tr")},
        "a search and a link that three people came by are told, and a download and an install")
    fits(author, "2 downloads in the last 30 days", "Rating over time", "Searches that led here", "lamplighter 3",
         "forum.example 3")
    expect(len(author.all("svg[aria-label^='Bar chart'] rect")) == 30, "a bar for each day")
    expect(author.all("svg[aria-label^='Line chart'] polyline"), "and the rating by day, as a line")
    for days, bars in (("90", 90), ("365", 53)):
        author.act(author.one(f"nav[aria-label='How far back'] a[href*='days={days}']"), True)
        expect(f"in the last {days} days" in author.text(), f"{days} days are told")
        expect(len(author.all("svg[aria-label^='Bar chart'] rect")) == bars, f"as a chart of {bars} bars")
    for measure in ("Installs", "Visits"):
        author.follow(measure)
        here = author.one("nav[aria-label='What is counted'] [aria-current]").text
        expect(here == measure, f"{measure} are counted, too: {here}")
    expect("visits in the last 365 days" in author.text(), "and told in words")
    author.click("section[aria-labelledby=chart-heading] summary")
    expect(author.one("table.figures td").is_displayed(), "the numbers stand in a table")
    author.follow("Installs")
    expect("1 install in the last 365 days" in author.text(), f"one program installed it: {author.text()}")
    reads_files(author)
    author.follow("Help with this page")
    expect(author.one("#statistics").is_displayed(), "there is help beside it")


def is_helped_to_upload(author):
    author.open("/upload")
    closes_the_hint(author, "/upload", "before it is approved")
    fits(author, "Type to search: German, Deutsch, or a tag such as de", "What licences mean", "Propose a game")
    languages = {one.get_attribute("value"): one.get_attribute("label") for one in author.all("#languages option")}
    expect({"English", "French"} <= set(languages), "languages are offered by name")
    expect(languages["German"].startswith("Deutsch"), f"in both of their names: {languages['German']}")
    usual = [one.text.splitlines() for one in author.all(".licences .option")]
    expect(len(usual) == 6 and all(len(lines) > 1 for lines in usual), f"five licences come first, explained: {usual}")
    others = author.all("#otherLicense optgroup")
    expect(len(others) > 1 and others[0].get_attribute("label"), "the others are grouped")


def works_with_another(author, other, scene):
    """An author asks somebody along, who may then correct zoom regions."""
    author.open(f"/sheets/{scene.sheet}/manage")
    author.fill("invite-handle", "ines")
    author.click("#invite input[value=contributor]")
    author.act(author.one("#invite button"), True)
    expect("is asked to be" in author.text(), "somebody is asked")
    other.open("/account/sheets")
    task = next(line for line in other.all("#waiting li") if "Lamplighter's Folio" in line.text)
    expect("tess asks you to join." in task.text, f"who is told so where everything waits: {task.text}")
    other.act(task.find_element("css selector", "a"), True)
    expect("Lamplighter's Folio" in other.one("#invitations").text, "and where it can be answered")
    other.press("Accept")
    other.open(f"/sheets/{scene.sheet}")
    other.follow("Manage this sheet")
    other.follow("Zoom regions of")
    renames_the_first(other, "Who lights the lamps")
    author.open(f"/sheets/{scene.sheet}/manage")
    expect("ines" in author.one("#people").text, "the author sees them among the people")


# Moderators and operators


def sees_what_is_late(moderator, second, scene):
    """What was promised, what is late or soon will be, and who has what."""
    late, soon = scene.cases["report"], scene.cases["profile"]
    scene.database(f"UPDATE cases SET due_at = now() - interval '1 hour' WHERE id = '{late}'")
    scene.database(f"UPDATE cases SET due_at = now() + interval '2 hours' WHERE id = '{soon}'")
    moderator.open("/moderation")
    fits(moderator, "Promised", "Overdue", "Due soon")
    tabs = dict(tab.text.rsplit(" ", 1) for tab in moderator.all("nav[aria-label='Which cases'] a:has(.count)"))
    expect(tabs["Overdue"] == "1" and int(tabs["To do"]) > 3, f"the tabs count: {tabs}")
    moderator.act(moderator.one("nav[aria-label='Which cases'] a[href*='due=over']"), True)
    line = row(moderator, "Rust Season")
    expect("Overdue" in line.text and line.find_element("css selector", "[data-label=Promised] time"), line.text)
    moderator.open("/moderation")
    expect("Due soon" in row(moderator, "Reported profile").text, "what is promised for soon is marked, too")
    game = row(moderator, "Rust Season").find_element("css selector", "[data-label=Game]").text
    moderator.choose("gameSystem", next(
        choice.get_attribute("value") for choice in moderator.all("#gameSystem option") if choice.text == game))
    moderator.submit("main form[role=search]")
    games = {cell.text for cell in moderator.all("tbody [data-label=Game]")}
    expect(games == {game} and "Rust Season" in moderator.one("tbody").text, f"a game is chosen: {game}, {games}")
    moderator.follow("Rust Season")
    moderator.press("Claim")
    moderator.open("/moderation")
    mine = moderator.one("nav[aria-label='Which cases'] a[href*='mine=']")
    count = int(mine.text.rsplit(" ", 1)[1])
    moderator.act(mine, True)
    expect(count == len(moderator.all("tbody tr")) and "Rust Season" in moderator.one("tbody").text,
           f"one's own have a tab that counts them: {count}")
    second.open("/moderation?state=claimed")
    expect("With olga" in row(second, "Rust Season").text, "another one sees who has it")
    second.open("/moderation")
    second.choose("kind", "appeal")
    second.submit("main form[role=search]")
    expect(not any("Rust Season" in line.text for line in second.all("tbody tr")), "kinds are told apart")
    second.open(f"/moderation/cases/{scene.cases['appeal']}")
    fits(second, "This is an appeal against your own decision. Another moderator has to decide it.")
    buttons = {button.text for button in second.all("main button")}
    expect(not buttons & {"Claim", "Record the decision"}, f"no button is there that would be refused: {buttons}")
    second.open("/moderation?q=no-such-sheet")
    second.follow("Show all of them")
    expect(second.path() == "/moderation", "and nothing found leads back to all")


def decides_a_report(moderator, scene):
    """Of a sheet that is on offer, which there is nothing to restore of."""
    moderator.open(f"/moderation/cases/{scene.cases['report']}")
    fits(moderator, "It says fillable, and is not.", "It is misleading", "Your decision")
    offered = [choice.get_attribute("value") for choice in moderator.all("input[name=decision]")]
    expect("dismiss" in offered and "take_down" in offered, f"what fits is offered: {offered}")
    expect("restore" not in offered and "approve" not in offered, f"and nothing else: {offered}")
    moderator.click("input[name=decision][value=dismiss]")
    moderator.fill("message", "It can be filled in, page by page.")
    moderator.choose(
        "reasonCode", moderator.one("#reasonCode optgroup[data-decision=dismiss] option").get_attribute("value"))
    moderator.press("Record the decision")
    expect("It can be filled in" in moderator.text(), "the report is decided")
    moderator.press("Take the next case")
    expect(moderator.path().startswith("/moderation/"), f"the next case follows: {moderator.path()}")


def hears_of_it(reporter):
    reporter.open("/account/reports")
    line = next(line for line in reporter.all("#reports li") if "Rust Season" in line.text)
    told = line.find_element("css selector", ".notice.reply").text
    expect("It can be filled in, page by page." in told, f"who reported it reads what came of it: {line.text}")


def keeps_notes(moderator, author, scene):
    """The team's, which nobody else reads."""
    moderator.open(f"/moderation/cases/{scene.refused['caseId']}")
    moderator.fill("note", "Ask the shop who they are.")
    moderator.act(moderator.one("#notes form button"), True)
    expect("Ask the shop who they are." in moderator.one("#notes").text, "the team reads a note")
    for path in (f"/submissions/{scene.refused['id']}", "/account/appeals", "/account/inbox", "/account/sheets"):
        author.open(path)
        expect("Ask the shop" not in author.driver.page_source, f"its author finds nothing of it on {path}")


def reads_a_file(moderator, scene):
    moderator.open(f"/moderation/cases/{scene.waiting['caseId']}")
    moderator.act(moderator.one("dd a[download]"), False)
    expect(moderator.downloaded().read_bytes().startswith(b"%PDF"), "a case's file can be had")
    expect(moderator.all("figure.page img"), "and looked at, page by page")
    fits(moderator, "About tess", "Uploads published", "Strikes", "Other cases")
    moderator.act(moderator.one("#person a[href^='/authors/']"), True)
    expect("Lamplighter's Folio" in moderator.text(), "the author's other sheets are near")


def has_a_sanction_lifted(administrator, person):
    """Ines, whom Moritz warned, is kept from uploading for a while, reads why, and is let go again."""
    person.open("/account/appeals")
    told = person.one("#account").text
    expect("Please do not advertise." in told and "On record" in told, f"a warned person reads why: {told}")
    administrator.open("/moderation/people?sanction=warn")
    administrator.follow("ines")
    expect("Please do not advertise." in administrator.one("#sanctions").text, "the warning stands on their page")
    administrator.click("#impose input[value=suspend]")
    administrator.driver.execute_script("document.querySelector('#until').value = arguments[0]", str(
        datetime.date.today() + datetime.timedelta(days=9)))
    administrator.choose("reasonCode", "spam")
    administrator.fill("message", "It goes on after the warning.")
    administrator.press("Impose it")
    line = next(one for one in administrator.all("#sanctions li") if "goes on" in one.text)
    expect("until" in line.text, f"they are suspended for a while: {line.text}")
    person.open("/account/appeals")
    line = next(one for one in person.all("#account li") if "goes on" in one.text)
    expect("In force" in line.text and "keeps you from" in line.text, f"the suspended person reads why: {line.text}")
    lift = administrator.one("#sanctions details")
    administrator.act(lift.find_element("css selector", "summary"), False)
    administrator.fill(lift.find_element("css selector", "[name=reason]").get_attribute("id"), "It was a question.")
    administrator.act(lift.find_element("css selector", "button"), True)
    line = next(one for one in administrator.all("#sanctions li") if "goes on" in one.text)
    expect("lifted" in line.text, f"the suspension is lifted: {line.text}")
    person.open("/account/appeals")
    line = next(one for one in person.all("#account li") if "goes on" in one.text)
    expect("Lifted" in line.text, f"and who was suspended sees that: {line.text}")


def reads_how_often_a_tag_is_used(moderator):
    """The number beside a tag is that of the list which it leads to; what is not on offer is counted by itself."""
    moderator.open("/moderation/tags/one-page")
    told, absent = moderator.one(".byline a").text, moderator.one(".byline").text
    moderator.act(moderator.one(".byline a"), True)
    listed = len(moderator.all(".card"))
    expect(told == f"{listed} sheets" and "not on offer" in absent, f"{absent}: {listed} are listed")


def tries_rules(moderator):
    moderator.open("/moderation/rules")
    found = next(line for line in moderator.all("tbody tr") if figure(line, "Found") > 0)
    code = found.find_element("css selector", "code").text
    points, hits = figure(found, "Points"), figure(found, "Found")
    moderator.click("#trial summary")
    moderator.fill(f"weight-{code}", str(points + 40))
    moderator.press("Try it")
    means = re.search(r"the mean score was (\S+) and would be (\S+)\.", moderator.one("#outcome").text)
    expect(means and float(means[2]) > float(means[1]), f"other points make other scores: {moderator.text()}")
    changed = [(figure(line, "Score"), figure(line, "Would be")) for line in moderator.all("#trial tbody tr")]
    expect(changed and all(after > before for before, after in changed), f"upload by upload: {changed}")
    fits(moderator, "would be", "It changes nothing")
    moderator.choose(f"mode-{code}", "off")
    moderator.press("Try it")
    gone = row_of(moderator, "#trial tbody tr", code)
    numbers = figure(gone, "Found"), figure(gone, "Would find")
    expect(numbers == (hits, 0), f"a rule that is off finds none: {gone.text}")
    moderator.open("/moderation/rules")
    expect(figure(row_of(moderator, "tbody tr", code), "Points") == points, "and the rules are what they were")


def has_work_done_again(administrator, scene):
    job = scene.database(
        "UPDATE jobs SET state = 'dead', finished_at = now(), attempts = 5, last_error = 'No room was left.' WHERE id ="
        " (SELECT id FROM jobs WHERE state = 'done' AND kind = 'draw_differences' LIMIT 1) RETURNING id")
    expect(job, "some work is done")
    administrator.open("/operation")
    fits(administrator, "Work that was given up", "No room was left.", "5 attempts", "desk@example.org")
    expect("environment" in row(administrator, "SHEETMARKET_CONTACT").text, "a setting says where it comes from")
    administrator.act(administrator.one("#dead button"), True)
    administrator.wait(
        lambda: administrator.open("/operation") or not administrator.all("#dead"), "it is done again")


def main():
    options = arguments(__doc__, "--program", "--data")
    scene = scenes.furnish(options.base, options.program, options.data)
    with browsers(options) as browser:
        visitor = browser("visitor")
        tells_others(visitor)
        answers_programs(visitor)
        visitor.run_scripts(False)
        for part in (reads_a_sheets_page, is_told_of_mistakes, reads_the_quick_start):
            part(visitor)
        finds_its_way(visitor, scene)
        tess, nell, hanno, ines, olga, moritz = (
            browser(handle, scripts=False) for handle in ("tess", "nell", "hanno", "ines", "olga", "moritz"))
        for person, handle in (
                (tess, "tess"), (nell, "nell"), (hanno, "hanno"), (ines, "ines"), (olga, "olga"), (moritz, "moritz")):
            sign_in(person, handle)
        come_by_a_search((nell, hanno, ines), scene)
        come_from_elsewhere((olga, moritz, visitor), scene)
        hook = Hook()
        page = makes_a_webhook(tess, hook)
        has_a_sheet(ines, visitor, scene)
        hears_by_webhook(tess, hook, page)
        hook.shutdown()
        installs(scene)
        sees_what_is_late(olga, moritz, scene)
        decides_a_report(olga, scene)
        hears_of_it(nell)
        reads_a_file(olga, scene)
        keeps_notes(olga, tess, scene)
        has_a_sanction_lifted(olga, ines)
        reads_how_often_a_tag_is_used(olga)
        tries_rules(olga)
        has_work_done_again(olga, scene)
        reads_statistics(tess, scene)
        is_helped_to_upload(tess)
        works_with_another(tess, ines, scene)


if __name__ == "__main__":
    main()
