// SPDX-License-Identifier: Apache-2.0
// Lays the zoom regions over the page pictures. Positions are set here, since the pages allow no inline styles.
for (const region of document.querySelectorAll(".region[data-x]")) {
  const picture = region.parentElement.querySelector("img");
  const place = () => {
    const height = picture.clientHeight;
    const width = picture.clientWidth;
    region.style.left = `${region.dataset.x * width}px`;
    region.style.top = `${region.dataset.y * height}px`;
    region.style.width = `${region.dataset.width * width}px`;
    region.style.height = `${region.dataset.height * height}px`;
    region.hidden = height === 0;
  };
  picture.addEventListener("load", place);
  new ResizeObserver(place).observe(picture);
  place();
}
