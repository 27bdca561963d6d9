// SPDX-License-Identifier: Apache-2.0
// Zooms a page's picture to a region, from the list below it or from the region itself. Escape and a second click lead back.
// Without this script the regions are drawn and listed all the same.

function attach(figure) {
  const picture = figure.querySelector("[data-picture]");
  const stage = figure.querySelector("[data-stage]");
  const drawing = figure.querySelector(".regions");
  if (!drawing || figure.dataset.attached) return;
  figure.dataset.attached = "yes";
  const [, , pageWidth, pageHeight] = drawing.getAttribute("viewBox").split(" ").map(Number);
  // Drawn by size, listed in reading order.
  const shapes = [...drawing.querySelectorAll("g")].sort((one, other) => one.dataset.place - other.dataset.place);
  const buttons = [];
  let near = null;

  const zoom = (place) => {
    near = near === place ? null : place;
    buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(index === near)));
    shapes.forEach((shape, index) => shape.classList.toggle("on", index === near));
    picture.classList.toggle("near", near !== null);
    if (near === null) {
      stage.style.transform = "";
      return;
    }
    const { x, y, width, height } = buttons[near].parentElement.dataset;
    const scale = Math.max(1, Math.min(5, 0.94 * Math.min(pageWidth / width, pageHeight / height)));
    // The region's middle comes to the picture's, but never past the page's edge.
    const shift = (start, length, whole) =>
      Math.max(1 - scale, Math.min(0, 0.5 - ((Number(start) + Number(length) / 2) / whole) * scale));
    const left = shift(x, width, pageWidth) * 100;
    const top = shift(y, height, pageHeight) * 100;
    stage.style.transform = `translate(${left}%, ${top}%) scale(${scale})`;
    if (picture.getBoundingClientRect().top < 0) picture.scrollIntoView({ block: "start", behavior: "smooth" });
  };

  figure.querySelectorAll("[data-region]").forEach((item, index) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "chip";
    button.textContent = item.textContent;
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => zoom(index));
    for (const [event, isOn] of [["pointerenter", true], ["focus", true], ["pointerleave", false], ["blur", false]]) {
      button.addEventListener(event, () => shapes[index].classList.toggle("on", isOn || index === near));
    }
    item.replaceChildren(button);
    buttons.push(button);
  });
  shapes.forEach((shape, index) => shape.addEventListener("click", (event) => {
    if (near !== null) return;
    event.stopPropagation();
    zoom(index);
  }));
  picture.addEventListener("click", () => { if (near !== null) zoom(near); });
  figure.addEventListener("keydown", (event) => { if (event.key === "Escape" && near !== null) zoom(near); });
}

const attachAll = () => document.querySelectorAll("figure.page").forEach(attach);
attachAll();
// Sent by scripts that put new content into the page.
document.addEventListener("newcontent", attachAll);
