// SPDX-License-Identifier: Apache-2.0
// On a case's page: offers the reasons and fields that go with the chosen decision, and standard text as a beginning.
// Without this script the reasons of all decisions are listed, each under its own.

const form = document.querySelector("form[data-decision]");
if (form) {
  const reason = form.querySelector("#reasonCode");
  const message = form.querySelector("#message");
  const open = reason.options[0];
  const groups = new Map([...reason.querySelectorAll("optgroup")].map((group) => [
    group.dataset.decision, [...group.children]]));
  let offered = message.value;

  const fill = () => {
    if (message.value !== offered) return;
    offered = reason.selectedOptions[0]?.dataset.text ?? "";
    message.value = offered;
  };
  const narrow = () => {
    const decision = form.querySelector("input[name=decision]:checked")?.value;
    for (const field of form.querySelectorAll("[data-for]")) {
      field.classList.remove("without-scripts");
      field.hidden = field.dataset.for !== decision;
    }
    if (!decision) return;
    const chosen = reason.value;
    const fitting = groups.get(decision) ?? [];
    // With a usual reason it is chosen; else one of several has to be.
    const isUsual = fitting.length <= 2;
    reason.required = !isUsual;
    reason.replaceChildren(...(isUsual ? [] : [open]), ...fitting);
    if (chosen && fitting.some((option) => option.value === chosen)) reason.value = chosen;
    else reason.selectedIndex = 0;
    fill();
  };
  const isFirstTime = message.value === "";
  form.addEventListener("change", (event) => {
    if (event.target.name === "decision") narrow();
    else if (event.target === reason) fill();
  });
  if (!isFirstTime) offered = null;
  narrow();
}
