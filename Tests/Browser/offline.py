#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A sheet without a network, in a browser, against a market that runs:

    offline.py http://127.0.0.1:8080 --sheet SLUG --person HANDLE [--pictures FOLDER]

Somebody opens a sheet and magnifies it, until the sharper picture is there; then the network is cut: the sheet and its
viewer go on, other pages say what is the matter, and nothing of a person was kept. Another language is kept, too; signing
out removes it all."""

import socket
import threading
import urllib.parse

from browser import arguments, browsers, expect
from selenium.webdriver.common.keys import Keys


class Cable:
    """Leads a port of its own to the market's, until it is cut: a browser cannot tell that from a lost network."""

    def __init__(self, base):
        self.market = urllib.parse.urlsplit(base)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.base = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.ends = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            far = socket.create_connection((self.market.hostname, self.market.port))
            self.ends += [near, far]
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self.carry, args=(one, other), daemon=True).start()

    def carry(self, one, other):
        try:
            while data := one.recv(65536):
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def cut(self):
        # Wakes the thread that accepts, which holds the port open otherwise.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for end in self.ends:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()


KEPT = """
const done = arguments[0];
(async () => {
  const names = await caches.keys();
  const kept = [];
  for (const name of names) for (const request of await (await caches.open(name)).keys()) {
    const answer = await (await caches.open(name)).match(request, {ignoreVary: true});
    const url = new URL(request.url);
    kept.push({cache: name, path: url.pathname + url.search, caching: answer.headers.get('Cache-Control') ?? '',
               text: url.pathname.startsWith('/sheets/') ? await answer.text() : ''});
  }
  done(kept);
})();
"""

# Every shift of the page's layout from here on, but those that follow a key or a click.
WATCH = """
window.shifts = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value;
}).observe({type: 'layout-shift'});
"""


def kept(browser):
    return browser.driver.execute_async_script(KEPT)


def sharp(browser):
    """Width of the sharper picture in the viewer, 0 without one."""
    return browser.driver.execute_script("return document.querySelector('.viewer .sharp')?.naturalWidth ?? 0")


def asked(browser, what):
    return browser.driver.execute_script(
        "return performance.getEntriesByType('resource').filter(({name}) => name.includes(arguments[0])).length", what)


def opens_viewer(person):
    person.driver.execute_script("document.querySelector('#page-1 [data-open]').focus()")
    person.driver.switch_to.active_element.send_keys(Keys.ENTER)
    person.wait(lambda: person.all("dialog[open]"), "the viewer opens")


def sharpens(person, path):
    """The sharper picture is asked for when it is needed, and comes without moving anything."""
    def is_drawn():
        person.open(path)
        return person.all("figure.page[data-sharp]")

    person.wait(is_drawn, "sharper pictures are drawn")
    person.driver.execute_script(WATCH)
    opens_viewer(person)
    expect(asked(person, "width=2400") == 0, "a whole page needs no sharper picture")
    for _ in range(4):
        person.driver.switch_to.active_element.send_keys("+")
    person.wait(lambda: sharp(person) == 2400, "magnified, it is shown", seconds=60)
    same = person.driver.execute_script(
        "const [usual, sharp] = document.querySelectorAll('.viewer-sheet img');"
        "const [one, other] = [usual, sharp].map((each) => JSON.stringify(each.getBoundingClientRect()));"
        "return one === other && getComputedStyle(sharp).position === 'absolute'")
    expect(same, "it lies exactly over the usual one")
    expect(person.driver.execute_script("return window.shifts") == 0, "nothing moved")
    person.look("offline-viewer-sharp", axe=False)
    person.escape()


def is_kept(person, path, words=""):
    entries = kept(person)
    return any(entry["path"] == path and words in entry["text"] for entry in entries) and any(
        "width=1200" in entry["path"] for entry in entries)


def reads_offline(person, path):
    for _ in person.each_width():
        reads_a_kept_sheet(person, path)
    person.look("offline-sheet")
    person.open("/account")
    expect(person.one("h1").text == "You are offline", "another page says what is the matter")
    person.wait(lambda: person.all("[data-kept] a"), "and lists what can be read")
    person.look("offline")
    for _ in person.each_width():
        person.open("/account")
        person.wait(lambda: person.all("[data-kept] a"), "what can be read is listed")
        person.driver.get_log("browser")
        person.follow(person.one("[data-kept] a").text)
        expect(person.path() == path, "which leads there")


def reads_a_kept_sheet(person, path):
    person.open(path)
    expect("You are offline" in person.text(), "the sheet says that it is kept")
    expect(person.all("figure.page img"), "its pages are there")
    person.wait(lambda: person.driver.execute_script(
        "return document.querySelector('#page-1 img').naturalWidth") == 1200, "its pictures are there")
    opens_viewer(person)
    for _ in range(4):
        person.driver.switch_to.active_element.send_keys("+")
    person.wait(lambda: sharp(person) == 2400, "the sharper picture of the page is there", seconds=60)
    expect(int(person.one("[data-percent]").get_property("textContent").split()[0]) == 500, "it can be magnified")
    person.escape()


def main():
    options = arguments(__doc__, "--sheet", "--person")
    path = f"/sheets/{options.sheet}"
    market = options.base
    first, second = Cable(market), Cable(market)
    options.base = first.base
    with browsers(options) as browser:
        person = browser("person")
        person.open("/login?next=/account")
        person.fill("login", options.person)
        person.fill("password", f"correct horse battery {options.person}")
        person.submit()
        sharpens(person, path)
        person.open(path)
        person.wait(lambda: is_kept(person, path), "the sheet is kept", seconds=60)
        for entry in kept(person):
            is_open = "private" not in entry["caching"] and "no-store" not in entry["caching"]
            expect(is_open, f"nothing private: {entry['path']}: {entry['caching']}")
            expect("/logout" not in entry["text"], "nor anything that only who is signed in sees")
            allowed = ("/static/", "/offline", "/sheets/", "/api/v1/templates/")
            expect(entry["path"].startswith(allowed), f"only sheets and what they are made of: {entry['path']}")
        first.cut()
        reads_offline(person, path)

        leaving = browser("leaving")
        leaving.base = second.base
        leaving.open("/login?next=" + path)
        leaving.fill("login", options.person)
        leaving.fill("password", f"correct horse battery {options.person}")
        leaving.submit()
        leaving.wait(lambda: is_kept(leaving, path), "the sheet is kept", seconds=60)
        leaving.act(leaving.one("footer .languages button"), True)
        # The market does not know itself by the cable's address, and so leads to its first page.
        leaving.open(path)
        leaving.wait(lambda: is_kept(leaving, path, '<html lang="de">'), "in the language that was chosen", seconds=60)
        # A phone has no room for the button of the head of each page.
        leaving.open("/account")
        leaving.act(leaving.one("main form[action='/logout'] button"), True)
        leaving.wait(lambda: not is_kept(leaving, path), "signing out removes it", seconds=60)
        second.cut()
        leaving.open(path)
        expect("offline" in leaving.one("h1").text, "it cannot be read then")


if __name__ == "__main__":
    main()
