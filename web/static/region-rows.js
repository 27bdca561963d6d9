// SPDX-License-Identifier: Apache-2.0
// The list of regions as fields of a form. It is what is sent, so whatever is drawn ends up in it.

import { dragRows } from "./row-drag.js";

const fields = ["id", "name", "kind", "x", "y", "width", "height", "scale"];
const numbers = ["x", "y", "width", "height"];
const shown = (number) => String(Math.round(number * 100) / 100);

export class RegionRows {
  // `typed` is told when a field has changed, `opened` when the fields of a row were opened, `dragged` when a row was
  // put elsewhere.
  constructor(list, unnamed, { typed, opened, asked, dragged }) {
    Object.assign(this, { list, unnamed, typed, opened, asked });
    const rows = [...list.querySelectorAll("[data-row]")];
    this.next = Math.max(...rows.map((row) => Number(row.dataset.row))) + 1;
    this.blank = list.querySelector("[data-new]") ?? rows[rows.length - 1].cloneNode(true);
    this.blank.remove();
    this.blank.querySelectorAll(".mistake").forEach((mistake) => mistake.remove());
    this.rows.forEach((row) => this.attach(row));
    dragRows(list, (row) => dragged(row.dataset.row));
  }

  get rows() {
    return [...this.list.querySelectorAll("[data-row]")];
  }

  field(row, name) {
    return row.querySelector(`[name="${name}-${row.dataset.row}"]`);
  }

  row(key) {
    return this.list.querySelector(`[data-row="${key}"]`);
  }

  attach(row) {
    const hand = row.querySelector(".by-hand input[type=checkbox]");
    // What was to be deleted by hand is not there any more.
    if (hand.checked) row.remove();
    row.addEventListener("input", () => this.typed(false));
    row.addEventListener("change", () => this.typed(true));
    row.querySelector("details").addEventListener("toggle", (event) => {
      if (event.target.open && !this.isQuiet) this.opened(row.dataset.row);
    });
    for (const button of row.querySelectorAll("[data-row-do]")) {
      button.addEventListener("click", () => this.asked(button.dataset.rowDo, row.dataset.row));
    }
  }

  // The regions that the fields say.
  read() {
    return this.rows.map((row) => {
      const region = { key: row.dataset.row };
      for (const name of fields) region[name] = this.field(row, name).value;
      for (const name of numbers) region[name] = Number(region[name]) || 0;
      return region;
    });
  }

  // The keys of the regions, from the first row to the last.
  get order() {
    return this.rows.map((row) => row.dataset.row);
  }

  key() {
    this.next += 1;
    return String(this.next);
  }

  make(key) {
    const row = this.blank.cloneNode(true);
    const old = row.dataset.row;
    row.removeAttribute("data-new");
    row.dataset.row = key;
    for (const element of row.querySelectorAll("[name], [id], [for]")) {
      for (const name of ["name", "id", "for"]) {
        const value = element.getAttribute(name);
        if (value?.endsWith(`-${old}`)) element.setAttribute(name, `${value.slice(0, -old.length)}${key}`);
      }
    }
    row.querySelector("[name=row]").value = key;
    this.attach(row);
    return row;
  }

  // Makes the fields say these regions, in this order. What has the focus keeps it where it can.
  write(regions) {
    const keys = new Set(regions.map((region) => region.key));
    this.rows.forEach((row) => keys.has(row.dataset.row) || row.remove());
    regions.forEach((region, place) => {
      const row = this.row(region.key) ?? this.make(region.key);
      if (this.rows[place] !== row) this.list.insertBefore(row, this.rows[place] ?? null);
      for (const name of fields) {
        const field = this.field(row, name);
        const value = numbers.includes(name) ? shown(region[name]) : region[name];
        if (field.value !== value && field !== document.activeElement) field.value = value;
      }
    });
    this.label(regions);
  }

  // Numbers the rows, and calls them by their names.
  label(regions) {
    const names = this.names(regions);
    regions.forEach((region, place) => {
      const row = this.row(region.key);
      row.querySelector("[data-number]").textContent = String(place + 1);
      row.querySelector("[data-label]").textContent = names[place];
      this.field(row, "name").placeholder = region.name ? "" : names[place];
      this.field(row, "order").value = String(place + 1);
    });
  }

  // Regions without a name are numbered.
  names(regions) {
    let number = 0;
    return regions.map((region) => {
      if (region.name.trim()) return region.name.trim();
      number += 1;
      return `${this.unnamed} ${number}`;
    });
  }

  // Opens the fields of one region alone, and marks the chosen ones.
  show(keys) {
    this.isQuiet = true;
    const only = keys.size === 1 ? [...keys][0] : null;
    // Where the list stands below the picture, going to it would take the picture away from under the pointer.
    const side = this.list.parentElement;
    const isBeside = getComputedStyle(side).overflowY !== "visible";
    for (const row of this.rows) {
      const isIt = row.dataset.row === only;
      row.classList.toggle("on", keys.has(row.dataset.row));
      row.querySelector("details").open = isIt;
      if (isIt && isBeside && !row.contains(document.activeElement)) row.scrollIntoView({ block: "nearest" });
    }
    // Such events come a moment later.
    setTimeout(() => { this.isQuiet = false; });
  }
}
