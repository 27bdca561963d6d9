// SPDX-License-Identifier: Apache-2.0
// Follows a submission's events and reloads the page when its state changes.
const panel = document.querySelector("[data-submission]");
if (panel && ["received", "inspecting", "awaiting_review"].includes(panel.dataset.state)) {
  const events = new EventSource(`/api/v1/submissions/${panel.dataset.submission}/events`);
  events.addEventListener("submission", (event) => {
    const status = JSON.parse(event.data);
    if (status.state !== panel.dataset.state) {
      events.close();
      location.reload();
      return;
    }
    panel.querySelector("[data-step]").textContent = status.progress.step;
    const bar = panel.querySelector("[data-progress]");
    if (bar) bar.value = status.progress.fraction;
  });
}
