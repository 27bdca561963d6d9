// SPDX-License-Identifier: Apache-2.0
// On a case's page: offers the reasons and fields that go with the chosen decision, and standard text as a beginning.
// Without this script all of them are listed.

const form = document.querySelector("form[data-decision]");
if (form) {
  const reason = form.querySelector("#reasonCode");
  const message = form.querySelector("#message");
  const all = [...reason.options];
  let offered = message.value;

  const fill = () => {
    if (message.value !== offered) return;
    offered = reason.selectedOptions[0]?.dataset.text ?? "";
    message.value = offered;
  };
  const narrow = () => {
    const decision = form.querySelector("input[name=decision]:checked")?.value;
    for (const field of form.querySelectorAll("[data-for]")) field.hidden = field.dataset.for !== decision;
    if (!decision) return;
    const chosen = reason.value;
    reason.replaceChildren(...all.filter((option) => option.dataset.decisions.split(" ").includes(decision)));
    if ([...reason.options].some((option) => option.value === chosen)) reason.value = chosen;
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
