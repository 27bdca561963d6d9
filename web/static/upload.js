// SPDX-License-Identifier: Apache-2.0
// Shows how much of the file is sent, refuses a file that is too large before it travels, and keeps the chosen file when
// the form comes back with a mistake. Without this script the form works all the same.

const currentForm = () => document.querySelector("form[data-upload]");

function sizeMistake(form) {
  const file = form.querySelector("#file").files[0];
  const field = form.querySelector("[data-file-field]");
  const line = field.querySelector("[data-file-mistake]");
  const isTooLarge = Boolean(file) && file.size > Number(form.dataset.maxBytes);
  field.classList.toggle("wrong", isTooLarge);
  line.hidden = !isTooLarge;
  line.textContent = isTooLarge
    ? `This file has ${(file.size / 1e6).toFixed(1)} MB; at most ${form.dataset.maxSize} are taken.` : "";
  return isTooLarge;
}

// The server's answer is the form again, with what is wrong. The file that was chosen goes over into it.
function showAgain(html) {
  const fresh = new DOMParser().parseFromString(html, "text/html");
  const again = fresh.querySelector("form[data-upload]");
  if (!again) {
    document.querySelector("main").replaceChildren(...fresh.querySelector("main").childNodes);
    return;
  }
  const chosen = currentForm().querySelector("#file");
  const isRefused = again.querySelector("[data-file-field]").classList.contains("wrong");
  if (!isRefused) again.querySelector("#file").replaceWith(chosen);
  currentForm().replaceWith(again);
  attach();
  (again.querySelector(".wrong input, .wrong select, .wrong textarea") ?? again.querySelector("[role=alert]"))
    ?.scrollIntoView({ block: "center" });
  again.querySelector(".wrong input, .wrong select, .wrong textarea")?.focus({ preventScroll: true });
}

function send(form) {
  const row = form.querySelector("[data-sending]");
  const bar = row.querySelector("progress");
  const label = row.querySelector("[data-sent-label]");
  const button = form.querySelector("button");
  const request = new XMLHttpRequest();
  row.hidden = false;
  button.disabled = true;
  request.upload.addEventListener("progress", (sent) => {
    if (!sent.lengthComputable) return;
    bar.value = sent.loaded / sent.total;
    label.textContent = sent.loaded < sent.total
      ? `Sending: ${Math.floor((100 * sent.loaded) / sent.total)} %` : "Sent; the file is being stored";
  });
  request.addEventListener("load", () => {
    if (request.status < 400) location.assign(request.responseURL);
    else showAgain(request.responseText);
  });
  request.addEventListener("error", () => {
    label.textContent = "The connection broke. Try again.";
    bar.value = 0;
    button.disabled = false;
  });
  request.open("POST", form.action);
  request.setRequestHeader("Accept", "text/html");
  request.send(new FormData(form));
}

function attach() {
  const form = currentForm();
  form?.querySelector("#file").addEventListener("change", () => sizeMistake(form));
  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!sizeMistake(form)) send(form);
  });
}

attach();
