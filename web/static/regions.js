// SPDX-License-Identifier: Apache-2.0
// Opens a page's picture in a viewer that fills the window: from the picture, a region in it, or the list below. Without
// this script the list leads to the outlines, and the picture to itself.

import { SharpPicture } from "./sharp-picture.js";
import { ZoomStage } from "./zoom-stage.js";

const step = 80;
const reading = (one, other) => one.dataset.place - other.dataset.place;

// What the viewer needs to know of a page's figure.
function pageOf(figure) {
  const picture = figure.querySelector("img");
  const regions = [...figure.querySelectorAll("[data-region]")].map((item) => {
    const number = (name) => Number(item.dataset[name]);
    const rect = { x: number("x"), y: number("y"), width: number("width"), height: number("height") };
    const scale = number("scale");
    // An author may have asked for less than what fills the screen, to show what is around.
    const filling = Math.min(5, Math.max(1, Math.min(1 / rect.width, 1 / rect.height)));
    return { name: item.textContent.trim(), rect, part: scale ? Math.min(1, scale / filling) : 1 };
  });
  return {
    number: Number(figure.dataset.page), picture, small: figure.dataset.small, sharp: figure.dataset.sharp, regions,
    drawing: figure.querySelector(".regions"), ratio: picture.getAttribute("width") / picture.getAttribute("height"),
  };
}

class Viewer {
  constructor(dialog) {
    const part = (name) => dialog.querySelector(`[data-${name}]`);
    Object.assign(this, {
      dialog, title: part("title"), said: part("said"), frame: part("frame"), sheet: part("sheet"),
      thumbnails: part("thumbnails"), list: part("list"), percent: part("percent"), pages: [], page: 0, region: null,
    });
    this.sharp = new SharpPicture();
    this.stage = new ZoomStage(this.frame, this.sheet, {
      changed: () => this.follow(), tapped: (tap) => this.tapped(tap), resized: () => this.show(false),
    });
    const deeds = {
      close: () => this.dialog.close(), previous: () => this.turn(-1), next: () => this.turn(1),
      whole: () => this.go(this.page, null), in: () => this.zoom(1.5), out: () => this.zoom(1 / 1.5),
      outlines: () => this.toggleOutlines(),
    };
    this.buttons = {};
    for (const button of dialog.querySelectorAll("[data-do]")) {
      this.buttons[button.dataset.do] = button;
      // A button at its end stays where the focus is.
      button.addEventListener("click", () => {
        if (button.getAttribute("aria-disabled") !== "true") deeds[button.dataset.do]();
      });
    }
    dialog.addEventListener("keydown", (event) => this.key(event));
    dialog.addEventListener("close", () => this.closed());
  }

  open(figure, region, opener) {
    this.pages = [...document.querySelectorAll("figure.page[data-page]")].map(pageOf);
    this.opener = opener;
    this.thumbnails.replaceChildren(...this.pages.map((page, index) => this.thumbnail(page, index)));
    this.thumbnails.hidden = this.pages.length < 2;
    this.page = -1;
    if (!this.dialog.open) this.dialog.showModal();
    this.frame.focus();
    this.go(this.pages.findIndex((page) => page.number === Number(figure.dataset.page)), region, false);
  }

  closed() {
    const number = this.pages[this.page]?.number;
    // The page behind may be a new one by now.
    const other = document.querySelector(`figure[data-page="${number}"] [data-open]`);
    (this.opener?.isConnected ? this.opener : other)?.focus();
  }

  thumbnail(page, index) {
    const picture = new Image();
    picture.alt = "";
    picture.src = page.small;
    const button = this.entry("", () => this.go(index, null));
    button.append(picture, String(page.number));
    button.setAttribute("aria-label", this.words("page-name", { page: page.number }));
    const item = document.createElement("li");
    item.append(button);
    return item;
  }

  entry(text, deed) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.addEventListener("click", deed);
    return button;
  }

  // A sentence of the template, with its gaps filled.
  words(name, values) {
    const text = this.dialog.querySelector(`[data-words="${name}"]`).textContent;
    return text.replace(/\[(\w+)\]/g, (gap, key) => values[key] ?? gap);
  }

  // Shows a page, or one of its regions.
  go(index, region, isSmooth = true) {
    const page = this.pages[index];
    if (!page) return;
    if (index !== this.page) this.load(page, index);
    this.region = region;
    const shown = region === null ? null : page.regions[region];
    if (shown) this.show(isSmooth);
    else this.stage.whole();
    this.marks.forEach((mark, place) => mark.classList.toggle("on", place === region));
    this.entries.forEach((entry, place) => {
      if (place === region) entry.setAttribute("aria-current", "true");
      else entry.removeAttribute("aria-current");
    });
    if (region !== null) this.entries[region].scrollIntoView({ block: "nearest", inline: "nearest" });
    this.buttons.previous.setAttribute("aria-disabled", String(index === 0 && region === null));
    this.buttons.next.setAttribute("aria-disabled", String(!this.after(1)));
    const values = { page: page.number, pages: this.pages.length, count: page.regions.length };
    if (shown) this.say("region", { ...values, name: shown.name, place: region + 1 });
    else this.say("whole", values);
  }

  // Fills the frame with the region, if one is chosen.
  show(isSmooth) {
    const region = this.pages[this.page]?.regions[this.region];
    if (!region) return;
    this.stage.show(region.rect, region.part);
    if (!isSmooth) this.sheet.classList.remove("smooth");
  }

  load(page, index) {
    this.page = index;
    const picture = page.picture.cloneNode();
    picture.loading = "eager";
    picture.draggable = false;
    const drawing = page.drawing?.cloneNode(true);
    drawing?.querySelectorAll("[id]").forEach((element) => element.removeAttribute("id"));
    this.sheet.replaceChildren(picture, ...(drawing ? [drawing] : []));
    this.sharp.begin(picture, page.sharp);
    this.marks = drawing ? [...drawing.querySelectorAll("g")].sort(reading) : [];
    this.stage.scale = 1;
    this.stage.proportion = page.ratio;
    this.entries = page.regions.map((region, place) => this.entry(region.name, () => this.go(index, place)));
    this.list.replaceChildren(...this.entries.map((entry, place) => {
      const item = document.createElement("li");
      item.append(entry);
      for (const [event, isOn] of [["pointerenter", true], ["pointerleave", false]]) {
        entry.addEventListener(event, () => this.marks[place].classList.toggle("on", isOn || place === this.region));
      }
      return item;
    }));
    this.list.hidden = page.regions.length === 0;
    [...this.thumbnails.querySelectorAll("button")].forEach((button, place) => {
      if (place === index) button.setAttribute("aria-current", "page");
      else button.removeAttribute("aria-current");
    });
  }

  // The stop before or after this one: each page as a whole, then its regions.
  after(direction) {
    const place = (this.region ?? -1) + direction;
    if (place >= -1 && place < this.pages[this.page].regions.length) return [this.page, place < 0 ? null : place];
    const next = this.pages[this.page + direction];
    if (!next) return null;
    return [this.page + direction, direction > 0 || next.regions.length === 0 ? null : next.regions.length - 1];
  }

  turn(direction) {
    const stop = this.after(direction);
    if (stop) this.go(...stop);
  }

  zoom(factor) {
    this.stage.zoom(factor, null, true);
    this.said.textContent = this.words("zoomed", { percent: Math.round(this.stage.scale * 100) });
  }

  toggleOutlines() {
    const isOff = this.sheet.classList.toggle("bare");
    this.buttons.outlines.setAttribute("aria-pressed", String(!isOff));
  }

  follow() {
    const { scale, width } = this.stage;
    this.sharp.follow(width * scale);
    this.percent.textContent = `${Math.round(scale * 100)} %`;
    this.frame.classList.toggle("near", scale > 1.001);
    this.buttons.in.setAttribute("aria-disabled", String(scale >= 4.999));
    this.buttons.out.setAttribute("aria-disabled", String(scale <= 1.001));
  }

  say(name, values) {
    this.title.textContent = this.words(`${name}-title`, values);
    this.said.textContent = this.words(name, values);
  }

  // A double tap goes to the region under it and back; with a mouse, one click is enough to go there.
  tapped(tap) {
    const isNear = this.stage.scale > 1.001;
    if (!tap.isDouble && !(tap.isMouse && !isNear)) return;
    // The first click of two went there already.
    if (tap.isDouble && tap.isMouse && performance.now() - this.clicked < 500) return;
    if (!tap.isDouble) this.clicked = performance.now();
    const hit = this.pages[this.page].regions.map((region, place) => ({ ...region.rect, place }))
      .filter(({ x, y, width, height }) => tap.x >= x && tap.x <= x + width && tap.y >= y && tap.y <= y + height)
      .sort((one, other) => one.width * one.height - other.width * other.height)[0];
    if (hit && hit.place !== this.region) this.go(this.page, hit.place);
    else if (isNear) this.go(this.page, null);
    else if (tap.isDouble) this.stage.zoom(2, tap, true);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isNear = this.stage.scale > 1.001;
    const deeds = {
      ArrowLeft: () => isNear ? this.stage.pan(step, 0, true) : this.turn(-1),
      ArrowRight: () => isNear ? this.stage.pan(-step, 0, true) : this.turn(1),
      ArrowUp: () => isNear ? this.stage.pan(0, step, true) : this.turn(-1),
      ArrowDown: () => isNear ? this.stage.pan(0, -step, true) : this.turn(1),
      PageUp: () => this.turn(-1), PageDown: () => this.turn(1),
      "+": () => this.zoom(1.5), "=": () => this.zoom(1.5),
      "-": () => this.zoom(1 / 1.5), "−": () => this.zoom(1 / 1.5),
      0: () => this.go(this.page, null),
    };
    const deed = deeds[event.key];
    if (!deed) return;
    event.preventDefault();
    deed();
  }
}

let viewer = null;

function attach(figure) {
  if (figure.dataset.attached) return;
  figure.dataset.attached = "yes";
  const marks = [...figure.querySelectorAll(".regions g")].sort(reading);
  const link = figure.querySelector("[data-open]");
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const mark = event.target.closest("g");
    viewer.open(figure, mark ? Number(mark.dataset.place) : null, link);
  });
  figure.querySelectorAll("[data-region] a").forEach((chip, place) => {
    chip.addEventListener("click", (event) => {
      event.preventDefault();
      viewer.open(figure, place, chip);
    });
    for (const [event, isOn] of [["pointerenter", true], ["focus", true], ["pointerleave", false], ["blur", false]]) {
      chip.addEventListener(event, () => marks[place].classList.toggle("on", isOn));
    }
  });
}

function attachAll() {
  const dialog = document.querySelector("main dialog[data-viewer]");
  if (dialog && viewer) dialog.remove();
  else if (dialog) {
    // Out of what other scripts replace.
    document.body.append(dialog);
    viewer = new Viewer(dialog);
  }
  if (viewer) document.querySelectorAll("figure.page[data-page]").forEach(attach);
}
attachAll();
// The small picture that a phone shows first.
document.querySelector("[data-glance]")?.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  viewer.open(document.querySelector("figure.page[data-page]"), null, event.currentTarget);
});
// Sent by scripts that put new content into the page.
document.addEventListener("newcontent", attachAll);
