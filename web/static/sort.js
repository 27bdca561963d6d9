// SPDX-License-Identifier: Apache-2.0
// Lists that people sort: rows are dragged by their grips, and moved by their arrows without loading the page again.
// Without this script the arrows of a collection send the form, and the moderators' list is text to be edited.

import { dragRows } from "./row-drag.js";
import { say } from "./words.js";

/// Makes the rows of `list` sortable; `changed` is told after each change, with what was moved.
const sortable = (list, news, changed) => {
  const rows = () => [...list.children];
  const button = (row, name) => row.querySelector(`[name="${name}"]`);

  const settle = () => {
    const all = rows();
    all.forEach((row, place) => {
      button(row, "up").disabled = place === 0;
      button(row, "down").disabled = place === all.length - 1;
    });
  };

  const tell = (row, words) => {
    settle();
    const all = rows();
    news.textContent = words ?? say("{name}: place {place} of {count}.", {
      name: row.dataset.name, place: all.indexOf(row) + 1, count: all.length });
    changed();
  };

  list.addEventListener("click", (event) => {
    const pressed = event.target.closest("button[name]");
    const row = pressed?.closest("li");
    if (!row || row.parentElement !== list) return;
    event.preventDefault();
    if (pressed.name === "remove") {
      const near = row.nextElementSibling ?? row.previousElementSibling;
      row.remove();
      tell(row, say("{name} is out of the list.", { name: row.dataset.name }));
      if (near) button(near, "remove").focus();
      return;
    }
    if (pressed.name === "up") row.previousElementSibling?.before(row);
    else row.nextElementSibling?.after(row);
    tell(row);
    (pressed.disabled ? button(row, pressed.name === "up" ? "down" : "up") : pressed).focus();
  });

  dragRows(list, (row) => tell(row));
  list.addEventListener("filled", settle);
  settle();
  list.classList.add("ready");
};

// A member's collection: the form is sent behind the scenes, and as usual where that does not work.
const own = document.querySelector("[data-sort]");
if (own) {
  const form = own.closest("form");
  const news = form.querySelector("[data-sort-news]");
  let queue = Promise.resolve();
  const save = async () => {
    const body = new URLSearchParams(new FormData(form));
    try {
      const answer = await fetch(form.action, { method: "POST", body, headers: { Accept: "text/html" } });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (!answer.ok) throw new Error(String(answer.status));
      form.elements.state.value = page.querySelector("input[name=state]").value;
      form.dataset.saved = String(Number(form.dataset.saved ?? 0) + 1);
    } catch {
      form.submit();
    }
  };
  sortable(own, news, () => { queue = queue.then(save); });
}

// The moderators' collection: its text is shown as rows, and written back from them.
const text = document.querySelector("[data-sort-lines]");
const opener = document.querySelector("[data-sort-open]");
opener?.addEventListener("click", () => {
  opener.parentElement.remove();
  const list = document.createElement("ol");
  const news = document.createElement("p");
  list.className = "sortable";
  news.className = "skip";
  news.setAttribute("role", "status");
  text.after(list, news);

  const part = (tag, properties) => Object.assign(document.createElement(tag), properties);
  const row = (line) => {
    const name = line.split(/\s/)[0].replace(/^.*\/sheets\//, "");
    const item = part("li", {});
    item.dataset.name = name;
    item.dataset.line = line;
    const grip = part("span", { className: "grip" });
    grip.setAttribute("aria-hidden", "true");
    const entry = part("div", { className: "entry" });
    entry.append(part("p", { textContent: name }), part("p", { className: "hint", textContent: line.slice(line.split(/\s/)[0].length).trim() }));
    const moves = part("div", { className: "moves" });
    for (const [way, sign, words] of [
      ["up", "↑", say("Move {name} up", { name })], ["down", "↓", say("Move {name} down", { name })],
      ["remove", "✕", say("Remove {name}", { name })],
    ]) {
      const button = part("button", { type: "button", name: way, className: "plain small", textContent: sign });
      button.setAttribute("aria-label", words);
      moves.append(button);
    }
    item.append(grip, entry, moves);
    return item;
  };
  const fill = () => list.replaceChildren(...text.value.split("\n").map((line) => line.trim()).filter(Boolean).map(row));
  fill();
  sortable(list, news, () => { text.value = [...list.children].map((item) => item.dataset.line).join("\n"); });
  text.addEventListener("change", () => { fill(); list.dispatchEvent(new Event("filled")); });
  list.querySelector("button:not(:disabled)")?.focus();
});
