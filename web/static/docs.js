// SPDX-License-Identifier: Apache-2.0
// Narrows the list of calls while somebody types; without it the form asks the server.

const field = document.querySelector("[data-filter]");
const list = document.querySelector(field?.dataset.filter ?? "body");
const said = document.querySelector("[data-filter-count]");
const lines = [...list.querySelectorAll("li")].map((line) => ({ line, text: line.textContent.toLowerCase() }));
const groups = [...list.querySelectorAll(".panel")].map((group) => ({
  group, text: group.querySelector("h3").textContent.toLowerCase(), lines: new Set(group.querySelectorAll("li")),
}));
const initial = field?.value;

function narrow() {
  // What the server has found already is not narrowed by the same words again.
  const words = field.value === initial ? [] : field.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const { line, text } of lines) {
    const title = groups.find((entry) => entry.lines.has(line))?.text ?? "";
    line.hidden = !words.every((word) => text.includes(word) || title.includes(word));
    if (!line.hidden) count += 1;
  }
  for (const { group, lines: own } of groups) group.hidden = [...own].every((line) => line.hidden);
  document.querySelector(".start")?.toggleAttribute("hidden", words.length > 0);
  said.textContent = words.length ? `${count} ${count === 1 ? "call" : "calls"}. Press Enter to search shapes and codes, too.` : "";
}

field?.addEventListener("input", narrow);
