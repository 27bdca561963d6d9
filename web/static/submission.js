// SPDX-License-Identifier: Apache-2.0
// Follows a submission's events: the step and the bar as they come, and the page's content anew when the state changes.
// Without this script the page shows the state of the moment it was loaded.

import { say } from "./words.js";

const panel = () => document.querySelector("[data-submission]");

async function refresh() {
  const page = `/submissions/${panel().dataset.submission}${location.search}`;
  const answer = await fetch(page, { headers: { Accept: "text/html" } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  // What is half written stays, where it can still be sent.
  const draft = document.querySelector("#answer")?.value;
  const old = document.activeElement;
  const at = old?.id === "answer" ? [old.selectionStart, old.selectionEnd] : null;
  document.querySelector("main").replaceChildren(...fresh.querySelector("main").childNodes);
  const box = document.querySelector("#answer");
  if (box && draft) box.value = draft;
  if (box && at) {
    box.focus({ preventScroll: true });
    box.setSelectionRange(...at);
  }
  document.dispatchEvent(new Event("newcontent"));
  announce(document.querySelector("[data-state-label]")?.textContent ?? "");
}

// Outside of what is replaced, or nobody would be told.
const voice = document.createElement("p");
voice.className = "skip";
voice.setAttribute("role", "status");
document.body.append(voice);

function announce(words) {
  voice.textContent = words;
}

function tellThatItFollows(follows) {
  const line = document.querySelector("[data-follows]");
  if (line) line.hidden = !follows;
}

function follow() {
  const events = new EventSource(`/api/v1/submissions/${panel().dataset.submission}/events`);
  events.addEventListener("error", () => { if (events.readyState === EventSource.CLOSED) tellThatItFollows(false); });
  events.addEventListener("submission", async (event) => {
    const status = JSON.parse(event.data);
    if (status.state !== panel().dataset.state) await refresh();
    tellThatItFollows(true);
    if (panel().dataset.live === undefined) {
      events.close();
      return;
    }
    const step = panel().querySelector("[data-step]");
    const words = say(status.progress.step.charAt(0).toUpperCase() + status.progress.step.slice(1));
    if (step && step.textContent !== words) step.textContent = words;
    const bar = panel().querySelector("[data-progress]");
    if (bar) bar.value = status.progress.fraction;
  });
}

if (panel()?.dataset.live !== undefined) follow();
