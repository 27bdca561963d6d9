// SPDX-License-Identifier: Apache-2.0
// Draws, moves and resizes zoom regions over the picture of their page; the fields beside it say the same and are what
// is sent. Without this script the fields are all there is.

import { LineSnap } from "./line-snap.js";
import { Draft } from "./region-draft.js";
import { attachProposal } from "./region-proposal.js";
import { RegionRows } from "./region-rows.js";
import { around, clamp, least, rounded, stretch } from "./region-shapes.js";

const nudge = 0.5;
const grips = ["nw", "n", "ne", "e", "se", "s", "sw", "w"];

class Editor {
  constructor(form) {
    const part = (name) => form.querySelector(`[data-${name}]`);
    Object.assign(this, {
      form, page: part("page"), scroll: part("scroll"), said: part("said"), snap: part("snap"),
      marks: new Map(), chosen: new Set(), mode: "select", size: 100,
    });
    this.page.querySelector("svg")?.remove();
    this.lines = new LineSnap(this.page.querySelector("img"));
    this.rows = new RegionRows(part("rows"), this.words("unnamed"), {
      typed: (isDone) => this.typed(isDone), opened: (key) => this.choose([key]),
      asked: (deed, key) => this.asked(deed, key), dragged: (key) => this.reorder(key),
    });
    this.buttons = {};
    for (const button of form.querySelectorAll("[data-do]")) {
      this.buttons[button.dataset.do] = button;
      button.addEventListener("click", () => {
        if (button.getAttribute("aria-disabled") !== "true") this.do(button.dataset.do);
      });
    }
    this.regions = this.rows.read();
    this.rows.label(this.regions);
    this.saved = this.text();
    this.steps = [this.saved];
    this.at = 0;
    this.listen();
    attachProposal(this);
    this.draw();
    this.draft = new Draft(this);
  }

  words(name, values = {}) {
    const text = this.form.querySelector(`[data-words="${name}"]`).textContent;
    return text.replace(/\[(\w+)\]/g, (gap, key) => values[key] ?? gap);
  }

  say(name, values) {
    this.said.textContent = this.words(name, values);
  }

  text() {
    return JSON.stringify(this.regions);
  }

  region(key) {
    return this.regions.find((region) => region.key === key);
  }

  name(region) {
    return this.rows.names(this.regions)[this.regions.indexOf(region)];
  }

  // MARK: Steps

  // Writes down what has changed as one step that can be undone.
  commit() {
    this.forget();
    this.rows.write(this.regions);
    this.draw();
    const text = this.text();
    if (text === this.steps[this.at]) return;
    this.steps = [...this.steps.slice(Math.max(0, this.at - 99), this.at + 1), text];
    this.at = this.steps.length - 1;
    this.enable();
    this.draft.keep();
  }

  go(direction) {
    if (!this.steps[this.at + direction]) return;
    this.at += direction;
    this.take(JSON.parse(this.steps[this.at]));
    this.say(direction < 0 ? "undone" : "redone");
  }

  take(regions) {
    this.regions = regions;
    this.forget();
    this.rows.write(this.regions);
    this.draw();
    this.rows.show(this.chosen);
    this.draft?.keep();
  }

  // What is gone is chosen no more.
  forget() {
    this.chosen = new Set([...this.chosen].filter((key) => this.region(key)));
  }

  typed(isDone) {
    this.regions = this.rows.read();
    if (isDone) this.commit();
    else {
      this.rows.label(this.regions);
      this.draw();
    }
  }

  // MARK: Deeds

  do(deed) {
    const deeds = {
      select: () => this.turn("select"), draw: () => this.turn("draw"), undo: () => this.go(-1), redo: () => this.go(1),
      merge: () => this.merge([...this.chosen]), beside: () => this.split("x", "width"),
      below: () => this.split("y", "height"), delete: () => this.remove([...this.chosen]),
      in: () => this.resizePage(1.5), out: () => this.resizePage(1 / 1.5),
      add: () => {
        this.add({ x: 35, y: 40, width: 30, height: 20 });
        this.rows.field(this.rows.row([...this.chosen][0]), "name").focus();
      },
    };
    deeds[deed]();
  }

  asked(deed, key) {
    const place = this.regions.findIndex((region) => region.key === key);
    if (deed === "delete") this.remove([key]);
    else if (deed === "join") {
      if (this.regions[place + 1]) this.merge([key, this.regions[place + 1].key]);
    } else {
      const other = place + (deed === "up" ? -1 : 1);
      if (!this.regions[other]) return;
      [this.regions[place], this.regions[other]] = [this.regions[other], this.regions[place]];
      this.commit();
      this.rows.row(key).querySelector(`[data-row-do="${deed}"]`).focus();
      this.say("ordered", { name: this.name(this.region(key)), place: other + 1 });
    }
  }

  // Takes the order of the rows, one of which was dragged.
  reorder(key) {
    const { order } = this.rows;
    this.regions.sort((one, other) => order.indexOf(one.key) - order.indexOf(other.key));
    this.commit();
    this.say("ordered", { name: this.name(this.region(key)), place: order.indexOf(key) + 1 });
  }

  turn(mode) {
    this.mode = mode;
    for (const name of ["select", "draw"]) this.buttons[name].setAttribute("aria-pressed", String(name === mode));
    this.page.classList.toggle("drawing", mode === "draw");
  }

  add(rect) {
    const key = this.rows.key();
    this.regions.push({ key, id: "", name: "", kind: "", scale: "", ...rect });
    this.commit();
    this.choose([key]);
    this.say("added");
  }

  remove(keys) {
    if (!keys.length) return;
    const first = this.regions.findIndex((region) => keys.includes(region.key));
    const name = this.name(this.regions[first]);
    const hadFocus = this.page.contains(document.activeElement) || this.rows.list.contains(document.activeElement);
    this.regions = this.regions.filter((region) => !keys.includes(region.key));
    this.commit();
    const next = this.regions[Math.min(first, this.regions.length - 1)];
    this.choose(next ? [next.key] : []);
    if (hadFocus) (next ? this.marks.get(next.key) : this.buttons.add).focus();
    this.say("deleted", { name });
  }

  merge(keys) {
    const parts = this.regions.filter((region) => keys.includes(region.key));
    if (parts.length < 2) return;
    const kept = parts[0];
    Object.assign(kept, around(parts), { scale: "" });
    this.regions = this.regions.filter((region) => region === kept || !parts.includes(region));
    this.commit();
    this.choose([kept.key]);
    this.say("merged", { count: parts.length });
  }

  split(start, length) {
    const region = this.region([...this.chosen][0]);
    if (this.chosen.size !== 1 || !region) return;
    const half = region[length] / 2;
    const other = { ...region, key: this.rows.key(), id: "", [start]: region[start] + half, [length]: half, scale: "" };
    if (region.name) other.name = `${region.name} 2`;
    region[length] = half;
    region.scale = "";
    this.regions.splice(this.regions.indexOf(region) + 1, 0, other);
    this.commit();
    this.choose([region.key, other.key]);
    this.say("split", { name: this.name(region) });
  }

  choose(keys, isMore = false) {
    if (isMore) keys.forEach((key) => this.chosen.delete(key) || this.chosen.add(key));
    else this.chosen = new Set(keys);
    this.draw();
    this.rows.show(this.chosen);
  }

  // MARK: Drawing

  draw() {
    const names = this.rows.names(this.regions);
    const keys = new Set(this.regions.map((region) => region.key));
    for (const [key, mark] of this.marks) {
      if (!keys.has(key)) {
        mark.remove();
        this.marks.delete(key);
      }
    }
    const only = this.chosen.size === 1 ? [...this.chosen][0] : null;
    const stop = only ?? this.regions[0]?.key;
    this.regions.forEach((region, place) => {
      const mark = this.marks.get(region.key) ?? this.mark(region.key);
      this.put(mark, region);
      mark.dataset.number = String(place + 1);
      mark.setAttribute("aria-label", this.words("mark", { ...rounded(region), name: names[place] }));
      mark.setAttribute("aria-pressed", String(this.chosen.has(region.key)));
      mark.tabIndex = region.key === stop ? 0 : -1;
      // Small ones lie above large ones, so that each can be reached.
      mark.style.zIndex = String(10_000 - Math.round(Math.sqrt(region.width * region.height) * 90));
    });
    this.box.hidden = only === null;
    if (only !== null) this.put(this.box, this.region(only));
    this.enable();
  }

  put(element, rect) {
    element.style.left = `${rect.x}%`;
    element.style.top = `${rect.y}%`;
    element.style.width = `${rect.width}%`;
    element.style.height = `${rect.height}%`;
  }

  mark(key) {
    const mark = document.createElement("button");
    mark.type = "button";
    mark.className = "region-mark";
    mark.dataset.key = key;
    this.page.append(mark);
    this.marks.set(key, mark);
    return mark;
  }

  enable() {
    const can = {
      undo: this.at > 0, redo: this.at < this.steps.length - 1, merge: this.chosen.size > 1,
      beside: this.chosen.size === 1, below: this.chosen.size === 1, delete: this.chosen.size > 0,
    };
    for (const [name, isOn] of Object.entries(can)) this.buttons[name].setAttribute("aria-disabled", String(!isOn));
  }

  resizePage(factor) {
    this.size = clamp(this.size * factor, 100, 400);
    this.page.style.width = `${this.size}%`;
  }

  // MARK: Hands

  listen() {
    this.box = document.createElement("div");
    this.box.className = "region-grips";
    this.box.append(...grips.map((grip) => {
      const element = document.createElement("span");
      element.dataset.grip = grip;
      return element;
    }));
    this.page.append(this.box);
    this.page.addEventListener("pointerdown", (event) => this.down(event));
    this.page.addEventListener("pointermove", (event) => this.drag && this.move(event));
    this.page.addEventListener("pointerup", () => this.drag && this.up());
    this.page.addEventListener("pointercancel", () => this.drag && this.cancel());
    this.page.addEventListener("dragstart", (event) => event.preventDefault());
    // A press without a pointer: by the keyboard or a screen reader.
    this.page.addEventListener("click", (event) => {
      const { key } = event.target.dataset;
      if (key && event.detail === 0) this.choose([key], event.shiftKey);
    });
    this.page.addEventListener("keydown", (event) => {
      if (event.target.dataset.key) this.key(event, event.target.dataset.key);
    });
    this.form.addEventListener("keydown", (event) => {
      const isText = event.target.matches("input:not([type=checkbox]), textarea");
      if (!(event.ctrlKey || event.metaKey) || isText) return;
      const letter = event.key.toLowerCase();
      if (letter !== "z" && letter !== "y") return;
      event.preventDefault();
      this.go(letter === "y" || event.shiftKey ? 1 : -1);
    });
  }

  // Where an event is, in percent of the page.
  place(event) {
    const page = this.page.getBoundingClientRect();
    return {
      x: clamp((100 * (event.clientX - page.left)) / page.width, 0, 100),
      y: clamp((100 * (event.clientY - page.top)) / page.height, 0, 100),
    };
  }

  down(event) {
    if (event.button > 0) return;
    const from = this.place(event);
    const { key, grip } = event.target.dataset;
    if (grip) {
      const region = this.region([...this.chosen][0]);
      this.drag = { from, region, start: { ...region }, grip };
    } else if (key && this.mode === "select") {
      if (event.shiftKey || !this.chosen.has(key)) this.choose([key], event.shiftKey);
      const region = this.region(key);
      this.drag = { from, region, start: { ...region }, grip: "" };
      this.marks.get(key).focus({ preventScroll: true });
    } else if (this.mode === "draw" || event.pointerType === "mouse") {
      this.choose([]);
      this.drag = { from, region: null };
    } else return;
    event.preventDefault();
    this.page.setPointerCapture(event.pointerId);
  }

  move(event) {
    const { from, start } = this.drag;
    const to = this.place(event);
    const near = event.altKey ? () => null : this.near();
    if (!this.drag.region) {
      if (Math.abs(to.x - from.x) < least && Math.abs(to.y - from.y) < least) return;
      const region = { key: this.rows.key(), id: "", name: "", kind: "", scale: "", ...from, width: 0, height: 0 };
      this.regions.push(region);
      Object.assign(this.drag, { region, start: { ...region }, grip: "se", isNew: true });
      this.rows.write(this.regions);
      this.choose([region.key]);
      this.move(event);
      return;
    }
    const by = { x: to.x - from.x, y: to.y - from.y };
    stretch(this.drag.region, start, this.drag.grip, by, near);
    this.drag.isMoved ||= Math.abs(by.x) > 0.2 || Math.abs(by.y) > 0.2;
    this.draw();
  }

  near() {
    return (...edge) => (this.snap.checked ? this.lines.near(...edge) : null);
  }

  // The browser took the pointer, to scroll.
  cancel() {
    const { region, start, isNew } = this.drag;
    this.drag = null;
    if (region && !isNew) Object.assign(region, start);
    this.commit();
  }

  up() {
    const { region, isMoved, isNew } = this.drag;
    this.drag = null;
    if (!region) return;
    if (isNew) this.finish(region);
    else if (isMoved) {
      this.commit();
      this.say("moved", rounded(region));
    }
  }

  // A region that was just drawn: its other edges snap, too, as soon as it has a size.
  finish(region) {
    stretch(region, { ...region }, "nwse", { x: 0, y: 0 }, this.near());
    this.commit();
    this.choose([region.key]);
    this.marks.get(region.key).focus({ preventScroll: true });
    this.say("added");
  }

  key(event, key) {
    const region = this.region(key);
    const shifts = { ArrowLeft: [-nudge, 0], ArrowRight: [nudge, 0], ArrowUp: [0, -nudge], ArrowDown: [0, nudge] };
    const shift = shifts[event.key];
    if (shift && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const by = { x: shift[0], y: shift[1] };
      stretch(region, { ...region }, event.shiftKey ? "se" : "", by, () => null);
      this.commit();
      this.say("moved", rounded(region));
    } else if (event.key === "PageDown" || event.key === "PageUp") {
      const place = this.regions.indexOf(region) + (event.key === "PageDown" ? 1 : -1);
      const next = this.regions[place];
      if (next) {
        this.choose(event.shiftKey ? [...this.chosen, next.key] : [next.key]);
        this.marks.get(next.key).focus();
        this.say("chosen", { name: this.name(next), place: place + 1, count: this.regions.length });
      }
    } else if (event.key === "Delete" || event.key === "Backspace") this.remove([key]);
    else if (event.key === "Enter") {
      this.choose([key]);
      this.rows.field(this.rows.row(key), "name").focus();
    } else return;
    event.preventDefault();
  }
}

const form = document.querySelector("form[data-regions]");
if (form) new Editor(form);
