// SPDX-License-Identifier: Apache-2.0
// Rows of a list that are dragged by their grips, with a mouse, a pen or a finger. Each list has another way beside it.

// So near its edge, in pixels, what scrolls goes on by so many each time the screen is drawn.
const edge = 48;
const pace = 8;

const scrollerOf = (list) => {
  for (let one = list.parentElement; one; one = one.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(one).overflowY) && one.scrollHeight > one.clientHeight) return one;
  }
  return null;
};

/** Makes the rows of `list` follow their grips; `moved` is told of each that ends at another place. Escape takes it back. */
export const dragRows = (list, moved) => {
  const rows = () => [...list.children];

  list.addEventListener("pointerdown", (event) => {
    const grip = event.target.closest(".grip");
    const row = grip?.closest("li");
    if (!row || row.parentElement !== list || event.button !== 0) return;
    event.preventDefault();
    const before = rows();
    const scroller = scrollerOf(list);
    const { pointerId } = event;
    let y = event.clientY;
    let frame = 0;
    grip.setPointerCapture(pointerId);
    row.classList.add("dragged");

    // The others move around the row: were it taken out itself, the pointer would be let go.
    const middle = (other) => other.getBoundingClientRect().top + other.offsetHeight / 2;
    const arrange = () => {
      const all = rows();
      const place = all.indexOf(row);
      for (const other of all.slice(place + 1)) if (y > middle(other)) row.before(other);
      for (const other of all.slice(0, place).reverse()) if (y < middle(other)) row.after(other);
    };
    const roll = () => {
      const { top, bottom } = scroller ? scroller.getBoundingClientRect() : { top: 0, bottom: innerHeight };
      const by = y < Math.max(top, 0) + edge ? -pace : y > Math.min(bottom, innerHeight) - edge ? pace : 0;
      if (by) {
        (scroller ?? window).scrollBy({ top: by, behavior: "instant" });
        arrange();
      }
      frame = requestAnimationFrame(roll);
    };
    const move = ({ clientY }) => {
      y = clientY;
      arrange();
    };
    const key = (pressed) => {
      if (pressed.key !== "Escape") return;
      pressed.preventDefault();
      const place = before.indexOf(row);
      before.slice(0, place).forEach((other) => row.before(other));
      before.slice(place + 1).reverse().forEach((other) => row.after(other));
      grip.releasePointerCapture(pointerId);
    };
    const end = () => {
      cancelAnimationFrame(frame);
      grip.removeEventListener("pointermove", move);
      removeEventListener("keydown", key, true);
      row.classList.remove("dragged");
      if (rows().some((other, place) => other !== before[place])) moved(row);
    };
    grip.addEventListener("pointermove", move);
    addEventListener("keydown", key, true);
    grip.addEventListener("lostpointercapture", end, { once: true });
    frame = requestAnimationFrame(roll);
  });
};
