// SPDX-License-Identifier: Apache-2.0
// Adds to the form of an upload: files that are dropped, several at once, how much is sent, a refusal of files that are too
// large before they travel, and the chosen file where the form comes back with a mistake. The form works without.

import { UploadRows } from "./upload-rows.js";
import { quarterly, sendingWords, sendUpload, sizeMistake } from "./upload-send.js";
import { say } from "./words.js";

const currentForm = () => document.querySelector("form[data-upload]");
let rows = null;

function announce(words) {
  document.querySelector("[data-announce]").textContent = words;
}

function showSizeMistake(form) {
  const mistake = sizeMistake(form.querySelector("#file").files[0], form);
  const field = form.querySelector("[data-file-field]");
  const line = field.querySelector("[data-file-mistake]");
  field.classList.toggle("wrong", mistake !== "");
  line.hidden = mistake === "";
  line.textContent = mistake;
  return mistake !== "";
}

// The server's answer is the form again, with what is wrong. The file that was chosen goes over into it.
function showAgain(fresh) {
  const again = fresh.querySelector("form[data-upload]");
  if (!again) {
    document.querySelector("main").replaceChildren(...fresh.querySelector("main").childNodes);
    return;
  }
  const chosen = currentForm().querySelector("#file");
  const isRefused = again.querySelector("[data-file-field]").classList.contains("wrong");
  if (!isRefused) again.querySelector("#file").replaceWith(chosen);
  // It is kept here.
  again.querySelectorAll("[data-file-field] .without-scripts").forEach((hint) => hint.remove());
  currentForm().replaceWith(again);
  attach();
  (again.querySelector(".wrong input, .wrong select, .wrong textarea") ?? again.querySelector("[role=alert]"))
    ?.scrollIntoView({ block: "center" });
  again.querySelector(".wrong input, .wrong select, .wrong textarea")?.focus({ preventScroll: true });
}

async function sendOne(form) {
  const row = form.querySelector("[data-sending]");
  const bar = row.querySelector("progress");
  const label = row.querySelector("[data-sent-label]");
  const button = form.querySelector("[data-send]");
  const tell = quarterly(announce);
  row.hidden = false;
  button.disabled = true;
  const answer = await sendUpload(form.action, new FormData(form), (part) => {
    bar.value = part;
    label.textContent = sendingWords(part);
    tell(part);
  });
  if (answer?.address) location.assign(answer.address);
  else if (answer) showAgain(answer.page);
  else {
    label.textContent = say("The connection broke. Try again.");
    announce(label.textContent);
    bar.value = 0;
    button.disabled = false;
  }
}

async function sendMany(form) {
  if (!rows.check()) return;
  const button = form.querySelector("[data-send]");
  button.disabled = true;
  await rows.send();
  button.disabled = false;
}

// Files that are dropped join those that are chosen.
function take(dropped) {
  const input = currentForm().querySelector("#file");
  const all = new DataTransfer();
  const isSingle = currentForm().dataset.single !== undefined;
  const files = isSingle ? dropped.slice(0, 1) : [...input.files, ...dropped];
  files.forEach((file) => all.items.add(file));
  input.files = all.files;
  input.dispatchEvent(new Event("change"));
  announce(dropped.length === 1 || isSingle
    ? say("{name} is chosen.", { name: files[files.length - 1].name })
    : say("{count} files are chosen.", { count: dropped.length }));
}

function carriesFiles(event) {
  return currentForm() && [...(event.dataTransfer?.types ?? [])].includes("Files");
}

function attachDropping() {
  let depth = 0;
  const mark = (by) => {
    depth = by === 0 ? 0 : Math.max(0, depth + by);
    currentForm()?.classList.toggle("dropping", depth > 0);
  };
  window.addEventListener("dragenter", (event) => { if (carriesFiles(event)) mark(1); });
  window.addEventListener("dragleave", (event) => { if (carriesFiles(event)) mark(-1); });
  window.addEventListener("dragover", (event) => { if (carriesFiles(event)) event.preventDefault(); });
  window.addEventListener("drop", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    mark(0);
    take([...event.dataTransfer.files]);
  });
}

function attach() {
  const form = currentForm();
  if (!form) return;
  const input = form.querySelector("#file");
  rows = form.dataset.single === undefined ? new UploadRows(form, announce) : null;
  input.multiple = rows !== null;
  input.onchange = () => {
    rows?.choose([...input.files]);
    if (!rows?.isMany) showSizeMistake(form);
  };
  input.onchange();
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (rows?.isMany) sendMany(form);
    else if (!showSizeMistake(form)) sendOne(form);
  });
  form.querySelectorAll("[data-version]").forEach((button) => button.addEventListener("click", () => {
    const field = form.querySelector("#version");
    field.value = button.dataset.version;
    field.focus();
  }));
}

attach();
if (currentForm()) attachDropping();
