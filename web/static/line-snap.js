// SPDX-License-Identifier: Apache-2.0
// Finds the printed line nearest to the edge of a rectangle, in a picture of the page.

const across = 900;
const reach = 7;
const step = 24;
const enough = 0.55;

export class LineSnap {
  constructor(picture) {
    this.picture = picture;
  }

  // How bright each point is; read once, when it is first asked for.
  get light() {
    if (this.points || !this.picture.complete || !this.picture.naturalWidth) return this.points;
    this.width = across;
    this.height = Math.round((across * this.picture.naturalHeight) / this.picture.naturalWidth);
    const canvas = document.createElement("canvas");
    canvas.width = this.width;
    canvas.height = this.height;
    const brush = canvas.getContext("2d", { willReadFrequently: true });
    brush.drawImage(this.picture, 0, 0, this.width, this.height);
    const { data } = brush.getImageData(0, 0, this.width, this.height);
    this.points = new Uint8Array(this.width * this.height);
    for (let place = 0; place < this.points.length; place += 1) {
      const at = 4 * place;
      this.points[place] = (data[at] * 77 + data[at + 1] * 150 + data[at + 2] * 29) >> 8;
    }
    return this.points;
  }

  // An edge at `place` on the axis "x" or "y", which runs from `start` to `end` on the other; all in percent.
  // The place of the line if there is one near, else `null`.
  near(axis, place, start, end) {
    const light = this.light;
    if (!light) return null;
    const isUpright = axis === "x";
    const [along, beside] = isUpright ? [this.height, this.width] : [this.width, this.height];
    const [next, over] = isUpright ? [this.width, 1] : [1, this.width];
    const first = Math.max(0, Math.round((start / 100) * along));
    const last = Math.min(along, Math.round((end / 100) * along));
    if (last - first < 12) return null;
    const middle = Math.round((place / 100) * beside);
    let best = null;
    for (let line = Math.max(1, middle - reach); line <= Math.min(beside - 1, middle + reach); line += 1) {
      let steps = 0;
      for (let point = first; point < last; point += 1) {
        const at = point * next + line * over;
        if (Math.abs(light[at] - light[at - over]) > step) steps += 1;
      }
      const part = steps / (last - first);
      const worth = part - 0.02 * Math.abs(line - middle);
      if (part >= enough && (!best || worth > best.worth)) best = { worth, place: (100 * line) / beside };
    }
    return best?.place ?? null;
  }
}
