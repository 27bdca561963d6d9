// SPDX-License-Identifier: Apache-2.0

/// What every viewer's file has in it.
enum ViewerParts {
    static let tools = """
        <div class="tools" role="toolbar" aria-label="View">
        <button type="button" data-do="previous" aria-keyshortcuts="ArrowLeft">← <span>Previous region</span></button>
        <button type="button" data-do="next" aria-keyshortcuts="ArrowRight"><span>Next region</span> →</button>
        <button type="button" data-do="out" aria-label="Zoom out" aria-keyshortcuts="-">−</button>
        <button type="button" data-do="in" aria-label="Zoom in" aria-keyshortcuts="+">+</button>
        <button type="button" data-do="whole" aria-keyshortcuts="Escape">Whole page</button>
        <p id="said" role="status"></p>
        </div>
        """

    static let style = """
        :root { color-scheme: light dark; --paper: #f8f5ef; --bar: #fff; --ink: #221e29; --soft: #5d5768; --edge: #8b8495;
          --accent: #7a2e2e; --wash: #7a2e2e1c; --zoom: 1; }
        @media (prefers-color-scheme: dark) { :root { --paper: #151318; --bar: #1e1b23; --ink: #ede9f2; --soft: #b0a8bd;
          --edge: #867d94; --accent: #f2a48f; --wash: #b4554a2e; } }
        * { box-sizing: border-box; }
        html, body { height: 100%; margin: 0; }
        body { display: flex; flex-direction: column; background: var(--paper); color: var(--ink);
          font: 16px/1.45 system-ui, sans-serif; overflow-wrap: anywhere; }
        header { flex: none; padding: .6rem 1rem; background: var(--bar); border-bottom: 1px solid var(--edge); }
        h1 { margin: 0; font-size: 1.15rem; }
        header > p { margin: 0 0 .4rem; font-size: .875rem; color: var(--soft); }
        .tools { display: flex; flex-wrap: wrap; gap: .4rem; align-items: center; }
        .tools button { min-width: 40px; min-height: 40px; padding: 0 .7rem; border: 1px solid var(--edge);
          border-radius: 8px; background: var(--paper); color: inherit; font: inherit; cursor: pointer; }
        .tools button:hover { border-color: var(--accent); color: var(--accent); }
        #said { flex: 1 1 12rem; min-height: 2.9em; margin: 0; display: flex; align-items: center;
          font-size: .875rem; color: var(--soft); }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        #stage { flex: 1; min-height: 0; overflow: auto; padding: 1rem; }
        #stage:focus-visible { outline-offset: -3px; }
        .page { position: relative; width: calc(min(100%, 900px) * var(--zoom)); margin: 0 auto 1.2rem; background: #fff;
          box-shadow: 0 1px 8px rgb(0 0 0 / .3); }
        .page img { display: block; width: 100%; height: 100%; }
        .none { position: absolute; inset: 0; margin: 0; padding: 1rem; color: #4a4453; }
        .region { position: absolute; min-width: 24px; min-height: 24px; padding: 0; border: 1px dashed transparent;
          border-radius: 4px; background: none; cursor: zoom-in; overflow: hidden; }
        .region span { display: none; font: 600 .8rem/1.3 system-ui, sans-serif; color: #4a1616; }
        .none ~ .region { border-color: #8b8495; }
        .none ~ .region span { display: block; }
        .region:hover, .region:focus-visible { border-color: #7a2e2e; background: var(--wash); }
        .region[aria-current] { border: 2px solid #7a2e2e; background: none; }
        @media (max-width: 560px) { .tools button span { display: none; } #said { flex-basis: 100%; } }
        @media (prefers-reduced-motion: no-preference) { #stage { scroll-behavior: smooth; } }
        @media print { body, #stage { display: block; height: auto; overflow: visible; } .tools, .region { display: none; }
          .page { width: 100%; box-shadow: none; break-after: page; } }

        """

    static let script = """
        "use strict";
        const stage = document.getElementById("stage"), said = document.getElementById("said");
        const regions = [...document.querySelectorAll(".region")];
        let zoom = 1, current = -1;
        // Sets the magnification, and keeps the middle of what is seen in the middle.
        function magnify(wanted) {
          const x = (stage.scrollLeft + stage.clientWidth / 2) / zoom, y = (stage.scrollTop + stage.clientHeight / 2) / zoom;
          zoom = Math.min(8, Math.max(1, wanted));
          document.documentElement.style.setProperty("--zoom", zoom);
          stage.scrollTo({ left: x * zoom - stage.clientWidth / 2, top: y * zoom - stage.clientHeight / 2, behavior: "instant" });
        }
        function mark(place) {
          regions[current]?.removeAttribute("aria-current");
          current = place;
          regions[current]?.setAttribute("aria-current", "true");
        }
        function show(place) {
          if (place < 0 || place >= regions.length) {
            said.textContent = regions.length ? (place < 0 ? "This is the first region." : "This is the last region.")
              : "This sheet has no regions.";
            return;
          }
          mark(place);
          const region = regions[place], box = region.getBoundingClientRect();
          magnify(zoom * Math.min((stage.clientWidth - 32) / box.width, (stage.clientHeight - 32) / box.height, 8 / zoom));
          const now = region.getBoundingClientRect(), around = stage.getBoundingClientRect();
          stage.scrollBy(now.left + now.width / 2 - around.left - stage.clientWidth / 2,
            now.top + now.height / 2 - around.top - stage.clientHeight / 2);
          said.textContent = region.getAttribute("aria-label");
        }
        function whole() {
          const page = regions[current]?.closest(".page");
          mark(-1);
          magnify(1);
          page?.scrollIntoView({ block: "start" });
          said.textContent = page ? page.getAttribute("aria-label") + ", whole." : "Whole page.";
        }
        // Where nothing was chosen yet: the first region of the page that is seen.
        function after() {
          if (current >= 0) return current + 1;
          const top = stage.getBoundingClientRect().top + 8;
          return Math.max(0, regions.findIndex(region => region.closest(".page").getBoundingClientRect().bottom > top));
        }
        const does = { previous: () => show(current - 1), next: () => show(after()), in: () => magnify(zoom * 1.25),
          out: () => magnify(zoom / 1.25), whole };
        const keys = { ArrowLeft: "previous", ArrowRight: "next", "+": "in", "=": "in", "-": "out", Escape: "whole" };
        document.addEventListener("click", event => {
          const tool = event.target.closest("[data-do]"), region = event.target.closest(".region");
          if (tool) does[tool.dataset.do]();
          else if (region) show(regions.indexOf(region));
        });
        document.addEventListener("keydown", event => {
          if (event.ctrlKey || event.metaKey || event.altKey) return;
          const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
          if (step) stage.scrollBy(0, step * 80);
          else if (keys[event.key]) does[keys[event.key]]();
          else return;
          event.preventDefault();
        });

        """
}
