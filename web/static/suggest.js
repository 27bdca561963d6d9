// SPDX-License-Identifier: Apache-2.0
// The search box suggests while one types: a combobox with a listbox, after the WAI-ARIA Authoring Practices. Without
// this script the box searches all the same.

import { say } from "./words.js";

const place = document.querySelector("[data-suggest]");
const box = place?.querySelector("input");
if (box) {
  const list = document.createElement("ul");
  list.id = "suggestions";
  list.className = "suggestions";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", say("Suggestions"));
  list.hidden = true;
  const news = document.createElement("p");
  news.className = "skip";
  news.setAttribute("role", "status");
  place.append(list, news);
  for (const [name, value] of [
    ["role", "combobox"], ["aria-autocomplete", "list"], ["aria-expanded", "false"], ["aria-controls", list.id],
    ["aria-haspopup", "listbox"],
  ]) box.setAttribute(name, value);

  let typed = box.value;
  let asked = null;
  let timer = 0;

  const options = () => [...list.children];
  const active = () => list.querySelector("[aria-selected=true]");

  const close = () => {
    list.hidden = true;
    box.setAttribute("aria-expanded", "false");
    box.removeAttribute("aria-activedescendant");
    news.textContent = "";
    clearTimeout(timer);
    asked?.abort();
  };

  const choose = (option) => {
    active()?.setAttribute("aria-selected", "false");
    if (!option) {
      box.removeAttribute("aria-activedescendant");
      return;
    }
    option.setAttribute("aria-selected", "true");
    option.scrollIntoView({ block: "nearest" });
    box.setAttribute("aria-activedescendant", option.id);
  };

  const address = (name, value) => `/?${new URLSearchParams({ [name]: value })}`;

  const entries = (found) => [
    ...found.templates.map((one) => [one.name, say("Sheet"), `/sheets/${encodeURIComponent(one.slug)}`]),
    ...found.gameSystems.map((one) => [one.name, say("Game"), address("gameSystem", one.slug)]),
    ...found.authors.map((one) => [one.displayName || one.handle, say("Author"),
      `/authors/${encodeURIComponent(one.handle)}`]),
    ...found.tags.map((one) => [one.value, say("Tag"), address("tag", one.value)]),
  ];

  const show = (found) => {
    const lines = entries(found);
    list.replaceChildren(...lines.map(([name, kind, href], index) => {
      const option = document.createElement("li");
      option.id = `suggestion-${index}`;
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      option.dataset.address = href;
      const label = document.createElement("span");
      label.textContent = name;
      const hint = document.createElement("span");
      hint.className = "hint";
      hint.textContent = kind;
      option.append(label, " ", hint);
      return option;
    }));
    if (lines.length === 0) {
      close();
      news.textContent = say("No suggestions");
      return;
    }
    list.hidden = false;
    box.setAttribute("aria-expanded", "true");
    box.removeAttribute("aria-activedescendant");
    news.textContent = lines.length === 1
      ? say("1 suggestion") : say("{count} suggestions", { count: lines.length });
  };

  const ask = async () => {
    asked?.abort();
    const text = box.value.trim();
    if (text.length < 2) {
      close();
      return;
    }
    asked = new AbortController();
    const { signal } = asked;
    try {
      const answer = await fetch(`/api/v1/suggest?${new URLSearchParams({ q: text })}`, { signal });
      if (!answer.ok) return;
      const found = await answer.json();
      if (!signal.aborted && document.activeElement === box) show(found);
    } catch {
      // Given up for what was typed next, or out of reach: the box searches without suggestions.
    }
  };

  box.addEventListener("input", () => {
    typed = box.value;
    clearTimeout(timer);
    timer = setTimeout(ask, 120);
  });
  box.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const isOpen = !list.hidden;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!isOpen) {
        ask();
        return;
      }
      const all = options();
      const step = event.key === "ArrowDown" ? 1 : -1;
      const at = all.indexOf(active());
      // Beyond either end lies the box itself.
      const next = at < 0 ? (step > 0 ? 0 : all.length - 1) : at + step;
      choose(all[next]);
    } else if (event.key === "Enter" && isOpen && active()) {
      event.preventDefault();
      location.assign(active().dataset.address);
    } else if (event.key === "Escape" && isOpen) {
      event.preventDefault();
      box.value = typed;
      close();
    } else if (event.key === "Tab" || event.key === "Enter") close();
  });
  box.addEventListener("blur", close);
  // The box keeps the focus while somebody points at the list.
  list.addEventListener("pointerdown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (option) location.assign(option.dataset.address);
  });
}
