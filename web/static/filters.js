// SPDX-License-Identifier: Apache-2.0
// On a phone the filters open as a sheet over the page. Without this script its button closes it; with it, so do Escape
// and a tap beside it.

const filters = document.querySelector("details.filters");

const close = (event) => {
  if (!filters.open || getComputedStyle(filters).position !== "fixed") return;
  event.preventDefault();
  event.stopPropagation();
  filters.open = false;
  filters.querySelector("summary").focus();
};

filters?.addEventListener("keydown", (event) => {
  if (event.key === "Escape") close(event);
});
if (filters) {
  addEventListener("click", (event) => {
    if (!filters.contains(event.target)) close(event);
  }, true);
}
