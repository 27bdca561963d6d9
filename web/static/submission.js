// SPDX-License-Identifier: Apache-2.0
// Follows a submission's events: the step and the bar as they come, and the page's content anew when the state changes.
// Without this script the page shows the state of the moment it was loaded.

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
}

function follow() {
  const events = new EventSource(`/api/v1/submissions/${panel().dataset.submission}/events`);
  events.addEventListener("submission", async (event) => {
    const status = JSON.parse(event.data);
    if (status.state !== panel().dataset.state) await refresh();
    if (panel().dataset.live === undefined) {
      events.close();
      return;
    }
    const step = panel().querySelector("[data-step]");
    const words = status.progress.step.charAt(0).toUpperCase() + status.progress.step.slice(1);
    if (step && step.textContent !== words) step.textContent = words;
    const bar = panel().querySelector("[data-progress]");
    if (bar) bar.value = status.progress.fraction;
  });
}

if (panel()?.dataset.live !== undefined) follow();
