// SPDX-License-Identifier: Apache-2.0
// Arithmetic of rectangles on a page, in percent of it.

export const least = 0.5;
export const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

// Moves `region` from where it was at the `start`, or the edges that a grip such as "nw" holds. Edges go over each
// other, and snap to what `near` finds for them.
export function stretch(region, start, grip, by, near) {
  const sides = [["x", "width", "w", "e", "y", "height"], ["y", "height", "n", "s", "x", "width"]];
  for (const [side, length, low, high, cross, breadth] of sides) {
    const span = [start[cross], start[cross] + start[breadth]];
    let from = start[side];
    let to = start[side] + start[length];
    if (!grip) {
      const shift = clamp(by[side], -from, 100 - to);
      const line = (place) => (by[side] === 0 ? null : near(side, place + shift, ...span));
      const found = [line(from), line(to)];
      const snapped = found[0] !== null ? found[0] - from : found[1] !== null ? found[1] - to : shift;
      region[side] = clamp(from + snapped, 0, 100 - start[length]);
      continue;
    }
    if (grip.includes(low)) from = near(side, from + by[side], ...span) ?? from + by[side];
    if (grip.includes(high)) to = near(side, to + by[side], ...span) ?? to + by[side];
    [from, to] = [clamp(Math.min(from, to), 0, 100 - least), clamp(Math.max(from, to), least, 100)];
    region[side] = from;
    region[length] = Math.max(least, to - from);
  }
}

// The smallest rectangle around all.
export function around(parts) {
  const x = Math.min(...parts.map((part) => part.x));
  const y = Math.min(...parts.map((part) => part.y));
  return {
    x, y, width: Math.max(...parts.map((part) => part.x + part.width)) - x,
    height: Math.max(...parts.map((part) => part.y + part.height)) - y,
  };
}

// With one digit, for people.
export function rounded(rect) {
  const part = (name) => Math.round(rect[name] * 10) / 10;
  return { x: part("x"), y: part("y"), width: part("width"), height: part("height") };
}
