// SPDX-License-Identifier: Apache-2.0
// A button beside each [data-copy] that copies its text. Room for it is kept by the style sheet, so nothing moves.

import { say } from "./words.js";

/** Copies what `source` says; on a site without TLS the old way is the only one. */
async function copy(source) {
  const text = (source.value ?? source.textContent).trim();
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  if (source.select) source.select();
  else getSelection().selectAllChildren(source);
  if (!document.execCommand("copy")) throw new Error("not allowed");
}

for (const place of document.querySelectorAll("[data-copy]")) {
  const source = place.querySelector("code, pre, textarea");
  const button = document.createElement("button");
  button.type = "button";
  button.className = "plain small copy-button";
  button.textContent = say("Copy");
  button.setAttribute("aria-label", say("Copy {what}", { what: place.dataset.copy }));
  const said = document.createElement("span");
  said.className = "skip";
  said.setAttribute("role", "status");
  button.addEventListener("click", async () => {
    try {
      await copy(source);
      button.textContent = said.textContent = say("Copied");
    } catch {
      if (source.select) source.select();
      else getSelection().selectAllChildren(source);
      button.textContent = say("Ctrl+C");
      said.textContent = say("Marked. Press Control C to copy.");
    }
    setTimeout(() => {
      button.textContent = say("Copy");
      said.textContent = "";
    }, 2500);
  });
  place.append(button, said);
}
