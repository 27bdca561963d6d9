// SPDX-License-Identifier: Apache-2.0
// Keeps sheets that were opened readable without a network. The server writes `version` and `files` above this text.
//
// Only what everybody may see is kept: a sheet's page is fetched once more without the person's cookies, and nothing
// whose answer says `private` or `no-store`.

const own = `own-${version}`;
const kept = "kept-sheets";
const mostSheets = 30;
const mostBytes = 80 << 20;
const mostPages = 24;
// A sheet that was kept so lately is not fetched again.
const freshMilliseconds = 600_000;

const isSheet = (path) => /^\/sheets\/[^/]+$/.test(path);
const isPicture = (path) => /^\/api\/v1\/templates\/[^/]+\/versions\/[^/]+\/pages\/\d+\/preview$/.test(path);
const isDown = (answer) => answer.status >= 502 && answer.status <= 504;
const isOpen = (answer) => answer.ok && answer.type === "basic" && !answer.redirected
  && !/private|no-store/.test(answer.headers.get("Cache-Control") ?? "private");
const fetchOpenly = (address, headers = {}) => fetch(address, { credentials: "omit", redirect: "error", headers });

self.addEventListener("install", (event) => event.waitUntil((async () => {
  const cache = await caches.open(own);
  await cache.addAll(files.map((address) => new Request(address, { credentials: "omit" })));
  await self.skipWaiting();
})()));

self.addEventListener("activate", (event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name !== own && name !== kept) await caches.delete(name);
  await self.registration.navigationPreload?.enable();
  await self.clients.claim();
})()));

// A page says that it was opened, and in which language: the person's choice lies in a cookie.
self.addEventListener("message", (event) => {
  const { pathname } = new URL(event.source.url);
  if (isSheet(pathname)) event.waitUntil(keep(pathname, event.data.language));
});

self.addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (origin !== location.origin) return;
  if (method !== "GET") {
    // Which sheets somebody looked at is nobody else's business.
    if (pathname === "/logout") event.waitUntil(caches.delete(kept));
  } else if (pathname.startsWith("/static/")) event.respondWith(file(event));
  else if (isPicture(pathname)) event.respondWith(picture(event));
  else if (mode === "navigate" && !/^\/(api|files)\//.test(pathname)) event.respondWith(page(event));
});

async function page(event) {
  const { pathname } = new URL(event.request.url);
  let answer = null;
  try {
    answer = await event.preloadResponse ?? await fetch(event.request);
    if (!isDown(answer)) return answer;
  } catch {
    // No network.
  }
  const cache = await caches.open(kept);
  return await cache.match(pathname, { ignoreVary: true }) ?? answer
    ?? await caches.match("/offline", { ignoreVary: true }) ?? Response.error();
}

// What the pages are made of. An address with a mark never changes.
async function file(event) {
  const { request } = event;
  const cache = await caches.open(own);
  const known = await cache.match(request, { ignoreVary: true });
  if (known && new URL(request.url).searchParams.has("v")) return known;
  try {
    const answer = await fetch(request);
    if (isOpen(answer)) await cache.put(request, answer.clone());
    return answer;
  } catch {
    return known ?? await cache.match(request, { ignoreSearch: true, ignoreVary: true }) ?? Response.error();
  }
}

async function picture(event) {
  const { request } = event;
  try {
    const answer = await fetch(request);
    if (isDown(answer)) throw new Error("no server");
    if (isOpen(answer)) event.waitUntil(keepPicture(request, answer.clone()));
    return answer;
  } catch {
    const cache = await caches.open(kept);
    const usual = `${new URL(request.url).pathname}?width=1200`;
    return await cache.match(request, { ignoreVary: true }) ?? await cache.match(usual) ?? Response.error();
  }
}

// What is shown of a sheet that is kept stays with it, as the sharper pictures of the viewer do.
async function keepPicture(request, answer) {
  const { pathname } = new URL(request.referrer || location.origin);
  if (!isSheet(pathname) || !await caches.has(kept)) return;
  const cache = await caches.open(kept);
  const sheet = await cache.match(pathname, { ignoreVary: true });
  if (!sheet) return;
  const address = request.url.slice(location.origin.length);
  const isItsOwn = addresses(await sheet.text()).some(([, ...each]) => each.includes(address));
  if (isItsOwn) await cache.put(address, answer);
}

async function keep(path, language) {
  const cache = await caches.open(kept);
  const before = await cache.match(path, { ignoreVary: true });
  const isFresh = before && Date.now() - before.headers.get("Kept") < freshMilliseconds;
  if (isFresh && before.headers.get("Kept-Language") === language) return;
  const answer = await fetchOpenly(path, { "Accept-Language": language });
  if (!isOpen(answer)) {
    // Taken down, or gone.
    if (answer.status === 404 || answer.status === 410) {
      await cache.delete(path);
      await tidy(cache);
    }
    return;
  }
  const headers = new Headers(answer.headers);
  for (const name of ["Content-Encoding", "Content-Length"]) headers.delete(name);
  headers.set("Kept", Date.now());
  headers.set("Kept-Language", language);
  const text = await answer.text();
  await cache.put(path, new Response(text.replace("data-offline hidden", "data-offline"), { headers }));
  await keepPictures(cache, text);
  await tidy(cache);
}

// The figures of a sheet's page: small, usual and sharp picture of each.
function addresses(text) {
  const figures = /<figure class="page"[^>]* data-small="([^"]+)"(?: data-sharp="([^"]+)")?[^]*?<img src="([^"]+)"/g;
  return [...text.matchAll(figures)].map(([figure, small, sharp, usual]) => [figure, small, usual, sharp]);
}

async function keepPictures(cache, text) {
  if (navigator.connection?.saveData) return;
  for (const [, small, usual] of addresses(text).slice(0, mostPages)) {
    for (const address of [usual, small]) {
      if (await cache.match(address)) continue;
      const answer = await fetchOpenly(address).catch(() => null);
      if (answer && isOpen(answer)) await cache.put(address, answer);
    }
  }
}

// Lets go of the sheets that were opened longest ago, until there is room, and of pictures that are of none.
async function tidy(cache) {
  const sizes = new Map();
  const sheets = [];
  for (const request of await cache.keys()) {
    const { pathname, search } = new URL(request.url);
    const answer = await cache.match(request, { ignoreVary: true });
    if (isSheet(pathname)) sheets.push({ pathname, time: Number(answer.headers.get("Kept")), text: await answer.text() });
    else sizes.set(pathname + search, Number(answer.headers.get("Content-Length") ?? 300_000));
  }
  const wanted = new Set();
  let bytes = 0;
  for (const [place, sheet] of sheets.sort((one, other) => other.time - one.time).entries()) {
    const own = addresses(sheet.text).flatMap(([, ...each]) => each).filter((address) => sizes.has(address));
    bytes += own.reduce((sum, address) => sum + sizes.get(address), sheet.text.length);
    if (place > 0 && (place >= mostSheets || bytes > mostBytes)) await cache.delete(sheet.pathname);
    else for (const address of own) wanted.add(address);
  }
  for (const address of sizes.keys()) if (!wanted.has(address)) await cache.delete(address);
}
