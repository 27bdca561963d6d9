# SPDX-License-Identifier: Apache-2.0
"""An author uploads by dropping files, several at once, and by keyboard alone.

    uploading.py http://127.0.0.1:8080 SHEET --handle HANDLE --password PASSWORD [--pictures FOLDER]

SHEET is a PDF. Ends with 0 when all of it holds."""

import base64
import pathlib

from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browser import arguments, browsers, expect

DROP = """
const [names, data] = arguments;
const transfer = new DataTransfer();
const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
for (const name of names) transfer.items.add(new File([bytes, `\n%${name}\n`], name, { type: "application/pdf" }));
const at = document.querySelector("main");
for (const kind of ["dragenter", "dragover"])
  at.dispatchEvent(new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }));
const marked = document.querySelector("form[data-upload]").classList.contains("dropping");
at.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
return marked && !document.querySelector("form[data-upload]").classList.contains("dropping");
"""


def drop(author, names, data):
    """Files dropped on the page, as a file manager does it."""
    marked = author.driver.execute_script(DROP, names, base64.b64encode(data).decode())
    expect(marked, "the form shows where files can be dropped, as long as they hover")


def press(author, *keys):
    ActionChains(author.driver).send_keys(*keys).perform()


def focused(author):
    return author.driver.execute_script("return document.activeElement.id")


def said(author):
    return author.driver.execute_script("return document.querySelector('[data-announce]').textContent")


def signs_in(author, options):
    author.open("/login?next=/upload")
    author.fill("login", options.handle)
    author.fill("password", options.password)
    author.submit()
    expect(author.path() == "/upload", f"signing in leads on: {author.path()}")


def fills_in_what_is_shared(author):
    author.choose("gameSystem", "dnd5e")
    field = author.one("#language")
    field.clear()
    field.send_keys("Deutsch")
    author.fill("tags", "fillable")
    author.driver.find_element(By.CSS_SELECTOR, "input[name=license][value='CC-BY-SA-4.0']").click()


def sends_one(author, data):
    """A single file is dropped, and the form stays the form of one sheet."""
    drop(author, ["one.pdf"], data)
    expect("one.pdf is chosen" in said(author), f"it is said aloud: {said(author)}")
    expect(author.one("#file").get_property("files"), "the dropped file is chosen")
    expect(not author.one("[data-files]").is_displayed(), "one file makes no list")


# Keeps what the rows say, and how far their bars are, as it comes.
RECORD = """
window.stages = {said: [], bars: []};
new MutationObserver(() => {
  for (const state of document.querySelectorAll('.upload-row [data-state]'))
    if (!stages.said.includes(state.textContent)) stages.said.push(state.textContent);
  for (const bar of document.querySelectorAll('.upload-row [data-bar]:not([hidden])')) stages.bars.push(bar.value);
}).observe(document.querySelector('[data-rows]'),
  {subtree: true, childList: true, attributes: true, characterData: true});
"""


def sends_several(author, data):
    """Two more: three rows, one of which is taken out again, and one has a fault."""
    drop(author, ["the_tinker-folio.pdf", "spare.pdf"], data)
    rows = author.all(".upload-row")
    expect(len(rows) == 3 and author.one("[data-files]").is_displayed(), f"each file has a row: {len(rows)}")
    expect(not author.one("[data-one]").is_displayed(), "each has its own name, so the form asks for none")
    names = [row.find_element(By.CSS_SELECTOR, "[data-field=name]").get_attribute("value") for row in rows]
    expect(names == ["One", "The tinker folio", "Spare"], f"names are made of the files': {names}")
    rows[2].find_element(By.CSS_SELECTOR, "[data-remove]").click()
    rows = author.all(".upload-row")
    expect(len(rows) == 2 and "Upload 2 files" in author.text(), "a row can be taken out")
    expect(focused(author) == "files-heading", f"and the focus stays near: {focused(author)}")
    author.look("upload-several")
    fills_in_what_is_shared(author)
    for row, summary in zip(rows, ["The first of two.", "The second of two."]):
        row.find_element(By.CSS_SELECTOR, "[data-field=summary]").send_keys(summary)
    name = rows[1].find_element(By.CSS_SELECTOR, "[data-field=name]")
    name.clear()
    name.send_keys("     ")
    author.driver.execute_script(RECORD)
    # By keyboard: the button is reached and pressed without a mouse.
    author.driver.execute_script("document.querySelector('[data-send]').focus()")
    press(author, Keys.ENTER)
    author.wait(lambda: len(author.all(".upload-row [data-open]:not([hidden])")) >= 1, "the first is sent")
    author.wait(lambda: "Not sent" in author.text(), "the second is refused")
    expect(author.all(".upload-row .faults li"), "the row says what is wrong")
    expect(rows[1].find_element(By.CSS_SELECTOR, "[data-field=summary]").get_attribute("value") == "The second of two.",
           "what was typed is kept")
    author.look("upload-fault", axe=False)
    name.clear()
    name.send_keys("The Tinker's Folio")
    expect("Upload 1 file" in author.text(), "only what is left is sent again")
    author.driver.execute_script("document.querySelector('[data-send]').focus()")
    press(author, Keys.ENTER)
    author.wait(lambda: len(author.all(".upload-row [data-open]:not([hidden])")) == 2, "both are sent")
    author.wait(
        lambda: all("Waiting for a moderator" in row.text for row in rows), "the rows follow the inspection to its end",
        seconds=600)
    expect("Waiting for a moderator" in said(author), f"which is said aloud: {said(author)}")
    stages = author.driver.execute_script("return window.stages")
    steps = [words for words in stages["said"] if ": " in words and not words.startswith("Sending")]
    expect(len(steps) > 1, f"each step of the inspection is told as it begins: {stages['said']}")
    expect(any("Sen" in words for words in stages["said"]), f"and so is the sending: {stages['said']}")
    expect(len({bar for bar in stages["bars"] if 0 < bar < 1}) > 1, f"the bars move: {stages['bars']}")
    author.look("upload-done")
    author.act(author.all(".upload-row [data-open]")[0], True)
    expect(author.path().startswith("/submissions/"), f"a row leads to its upload: {author.path()}")


def counts_on(author):
    """The next version: suggested numbers, by keyboard."""
    author.open("/account/sheets")
    upload = author.driver.execute_async_script(
        "const done = arguments[0]; fetch('/api/v1/submissions').then((answer) => answer.json())"
        ".then((list) => done(list.submissions[0].templateId));")
    author.open(f"/upload?template={upload}")
    expect(author.one("#version").get_attribute("value") == "1.0.1", "a correction is suggested")
    author.driver.execute_script("document.querySelector('[data-version=\"1.1.0\"]').focus()")
    press(author, Keys.ENTER)
    expect(author.one("#version").get_attribute("value") == "1.1.0", "another number is one key away")
    expect(focused(author) == "version", "and can be edited at once")
    author.look("upload-version")


def main():
    options = arguments(__doc__, "sheet", "--handle", "--password")
    data = pathlib.Path(options.sheet).read_bytes()
    with browsers(options) as browser:
        author = browser("author")
        signs_in(author, options)
        author.look("upload-form")
        sends_one(author, data)
        sends_several(author, data)
        counts_on(author)


if __name__ == "__main__":
    main()
