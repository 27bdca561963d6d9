// SPDX-License-Identifier: Apache-2.0
// A picture that can be magnified and moved within a frame: by wheel, by one and by two fingers, or as the caller asks.
// The magnification counts from the whole page, 1…5.

const most = 5;
const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

export class ZoomStage {
  // `frame` clips `sheet`. `changed` is told of every move, `tapped` of taps without one (place in the
  // page, 0…1), `resized` when the frame has another size.
  constructor(frame, sheet, { changed, tapped, resized }) {
    Object.assign(this, { frame, sheet, changed, tapped, scale: 1, left: 0, top: 0, width: 1, height: 1, ratio: 1 });
    this.fingers = new Map();
    frame.addEventListener("wheel", (event) => {
      event.preventDefault();
      const lines = event.deltaMode === 1 ? 16 : 1;
      this.zoom(Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.0016)), event);
    }, { passive: false });
    frame.addEventListener("pointerdown", (event) => this.down(event));
    frame.addEventListener("pointermove", (event) => this.move(event));
    frame.addEventListener("pointerup", (event) => this.up(event));
    frame.addEventListener("pointercancel", (event) => this.up(event));
    new ResizeObserver(() => {
      this.fit();
      resized();
    }).observe(frame);
  }

  // The page's width divided by its height.
  set proportion(ratio) {
    this.ratio = ratio;
    this.fit();
  }

  // Lays the whole page into the frame, and keeps the magnification.
  fit() {
    const frame = this.frame.getBoundingClientRect();
    if (!frame.width || !frame.height) return;
    const middle = this.middle();
    this.width = Math.min(frame.width, frame.height * this.ratio);
    this.height = this.width / this.ratio;
    this.sheet.style.width = `${this.width}px`;
    this.sheet.style.height = `${this.height}px`;
    this.center(middle.x, middle.y, this.scale, false);
  }

  // Where the frame's middle is in the page, 0…1.
  middle() {
    const frame = this.frame.getBoundingClientRect();
    return {
      x: (frame.width / 2 - this.left) / (this.width * this.scale),
      y: (frame.height / 2 - this.top) / (this.height * this.scale),
    };
  }

  center(x, y, scale, isSmooth = true) {
    const frame = this.frame.getBoundingClientRect();
    this.scale = clamp(scale, 1, most);
    this.left = frame.width / 2 - x * this.width * this.scale;
    this.top = frame.height / 2 - y * this.height * this.scale;
    this.draw(isSmooth);
  }

  whole() {
    this.center(0.5, 0.5, 1);
  }

  // Fills the frame with a part of the page; `part` of 1 fills it quite.
  show(rect, part = 1) {
    const frame = this.frame.getBoundingClientRect();
    const filling = Math.min(frame.width / (rect.width * this.width), frame.height / (rect.height * this.height));
    this.center(rect.x + rect.width / 2, rect.y + rect.height / 2, 0.94 * part * filling);
  }

  // Magnifies around a place of the window, else around the frame's middle.
  zoom(factor, place = null, isSmooth = false) {
    const frame = this.frame.getBoundingClientRect();
    const x = place ? place.clientX - frame.left : frame.width / 2;
    const y = place ? place.clientY - frame.top : frame.height / 2;
    const scale = clamp(this.scale * factor, 1, most);
    this.left = x - ((x - this.left) * scale) / this.scale;
    this.top = y - ((y - this.top) * scale) / this.scale;
    this.scale = scale;
    this.draw(isSmooth);
  }

  // Moves the page by so many pixels.
  pan(x, y, isSmooth = false) {
    this.left += x;
    this.top += y;
    this.draw(isSmooth);
  }

  draw(isSmooth) {
    const frame = this.frame.getBoundingClientRect();
    // A page that is smaller than the frame stays in its middle; a larger one never leaves a gap.
    const kept = (start, length, room) =>
      length <= room ? (room - length) / 2 : clamp(start, room - length, 0);
    this.left = kept(this.left, this.width * this.scale, frame.width);
    this.top = kept(this.top, this.height * this.scale, frame.height);
    this.sheet.classList.toggle("smooth", isSmooth);
    this.sheet.style.transform = `translate(${this.left}px, ${this.top}px) scale(${this.scale})`;
    this.sheet.style.setProperty("--zoom", this.scale);
    this.changed();
  }

  down(event) {
    if (event.button > 0) return;
    this.frame.setPointerCapture(event.pointerId);
    this.fingers.set(event.pointerId, { clientX: event.clientX, clientY: event.clientY });
    if (this.fingers.size === 1) this.start = { clientX: event.clientX, clientY: event.clientY, isTap: true };
    else this.start.isTap = false;
  }

  move(event) {
    const before = this.fingers.get(event.pointerId);
    if (!before) return;
    const now = { clientX: event.clientX, clientY: event.clientY };
    const apart = Math.hypot(now.clientX - this.start.clientX, now.clientY - this.start.clientY);
    // A finger is never quite still.
    if (this.start.isTap && apart < 8) return;
    this.start.isTap = false;
    const [first, second] = [...this.fingers.values()];
    this.fingers.set(event.pointerId, now);
    if (!second) {
      this.pan(now.clientX - before.clientX, now.clientY - before.clientY);
      return;
    }
    const still = first === before ? second : first;
    const length = (finger) => Math.hypot(finger.clientX - still.clientX, finger.clientY - still.clientY);
    const between = (finger) =>
      ({ clientX: (finger.clientX + still.clientX) / 2, clientY: (finger.clientY + still.clientY) / 2 });
    this.pan((now.clientX - before.clientX) / 2, (now.clientY - before.clientY) / 2);
    if (length(before) > 0) this.zoom(length(now) / length(before), between(now));
  }

  up(event) {
    if (!this.fingers.delete(event.pointerId) || event.type === "pointercancel" || !this.start.isTap) return;
    if (this.fingers.size > 0) return;
    const sheet = this.sheet.getBoundingClientRect();
    const x = (event.clientX - sheet.left) / sheet.width;
    const y = (event.clientY - sheet.top) / sheet.height;
    const isDouble = this.last && event.timeStamp - this.last.time < 350
      && Math.hypot(event.clientX - this.last.clientX, event.clientY - this.last.clientY) < 32;
    this.last = isDouble ? null : { time: event.timeStamp, clientX: event.clientX, clientY: event.clientY };
    const { clientX, clientY } = event;
    this.tapped({ x, y, isDouble, isMouse: event.pointerType === "mouse", clientX, clientY });
  }
}
