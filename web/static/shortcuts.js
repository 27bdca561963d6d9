// SPDX-License-Identifier: Apache-2.0
// Single keys for moderators: an element's `data-key` presses or focuses it, `j` and `k` walk the lines of a list,
// digits choose a decision, `?` shows the card that tells them all and turns them off.

const card = document.querySelector("#shortcuts");
const opener = document.querySelector("[data-shortcuts]");
const chosen = card?.querySelector("[data-shortcuts-on]");
const memory = "sheetmarket.shortcuts";

function isWriting(target) {
  return target.isContentEditable || target.matches("textarea, select, input:not([type=radio], [type=checkbox])");
}

function walk(step) {
  const lines = [...document.querySelectorAll("[data-line]")];
  const place = lines.indexOf(document.activeElement);
  lines[place < 0 ? (step > 0 ? 0 : lines.length - 1) : Math.max(0, Math.min(lines.length - 1, place + step))]?.focus();
}

function act(key) {
  if (key === "?") return card.showModal();
  if (!chosen.checked) return undefined;
  if (key === "j" || key === "k") return walk(key === "j" ? 1 : -1);
  if (/^[1-9]$/.test(key)) {
    const choice = document.querySelectorAll("input[name=decision]")[Number(key) - 1];
    choice?.focus();
    return choice?.click();
  }
  const target = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (target?.matches("input, textarea")) return target.focus();
  return target?.click();
}

if (card && opener) {
  opener.querySelector("button").addEventListener("click", () => card.showModal());
  try {
    chosen.checked = localStorage.getItem(memory) !== "off";
  } catch { /* Storage may be closed to us: they are on then. */ }
  chosen.addEventListener("change", () => {
    try {
      localStorage.setItem(memory, chosen.checked ? "on" : "off");
    } catch { /* It holds for this page. */ }
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || card.open || isWriting(event.target)) return;
    if (!/^[a-z1-9/?]$/.test(event.key)) return;
    act(event.key);
    event.preventDefault();
  });
}
