// SPDX-License-Identifier: Apache-2.0
// Lists the sheets that are kept in this browser, the last opened first, and goes on once there is a network.

const section = document.querySelector("[data-kept]");

async function list() {
  if (!await caches.has("kept-sheets")) return;
  const cache = await caches.open("kept-sheets");
  const sheets = [];
  for (const request of await cache.keys()) {
    const { pathname } = new URL(request.url);
    if (!pathname.startsWith("/sheets/")) continue;
    const answer = await cache.match(request, { ignoreVary: true });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const name = page.querySelector("h1")?.textContent ?? pathname;
    sheets.push({ pathname, name, time: Number(answer.headers.get("Kept")) });
  }
  sheets.sort((one, other) => other.time - one.time);
  section.querySelector("ul").replaceChildren(...sheets.map(({ pathname, name }) => {
    const link = document.createElement("a");
    link.href = pathname;
    link.textContent = name;
    const item = document.createElement("li");
    item.append(link);
    return item;
  }));
  section.hidden = sheets.length === 0;
}

list();
addEventListener("online", () => location.reload());
