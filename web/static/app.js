// SPDX-License-Identifier: Apache-2.0
// Brings in the worker that keeps opened sheets for times without a network, and tells it of this page.

/**
 * Who was signed in here and is no longer, by whatever way, leaves no list of the sheets that were opened. A page that
 * was kept for times without a network is nobody's, too: so the market is asked before anything is forgotten.
 */
async function forgetWhoLeft() {
  const mark = "signed-in";
  if (document.querySelector("form.leave")) return localStorage.setItem(mark, "yes");
  if (!localStorage.getItem(mark)) return;
  const answer = await fetch("/account", { cache: "no-store", redirect: "manual" });
  if (answer.type !== "opaqueredirect" && answer.status !== 401) return;
  localStorage.removeItem(mark);
  await caches.delete("kept-sheets");
}

// A browser that keeps nothing has nothing to forget, and without a network it can wait.
forgetWhoLeft().catch(() => {});

if ("serviceWorker" in navigator) {
  const begin = async () => {
    await navigator.serviceWorker.register("/service-worker.js");
    const { active } = await navigator.serviceWorker.ready;
    active?.postMessage({ language: document.documentElement.lang });
  };
  // After everything that the page itself needs. Some browsers allow no workers; the pages do without.
  const later = () => begin().catch(() => {});
  if (document.readyState === "complete") later();
  else addEventListener("load", later);
}
