// SPDX-License-Identifier: Apache-2.0
// Keeps what is not saved yet in the browser, page by page.
export class Draft {
  constructor(editor) {
    this.editor = editor;
    this.place = `regions:${new URL(editor.form.action).pathname}${new URL(editor.form.action).search}`;
    this.notice = document.querySelector("[data-draft]");
    let kept = null;
    try { kept = JSON.parse(localStorage.getItem(this.place)); } catch { /* Nothing is kept. */ }
    const isSaved = document.querySelector("[data-saved]");
    if (!kept || isSaved || this.plain(kept) === this.plain(editor.regions)) {
      if (isSaved || kept) this.drop();
      return;
    }
    this.notice.hidden = false;
    this.notice.querySelector("[data-draft-take]").addEventListener("click", () => {
      editor.regions = kept.map((region) => ({ ...region, key: editor.rows.key() }));
      this.notice.hidden = true;
      editor.commit();
      editor.choose([]);
    });
    this.notice.querySelector("[data-draft-drop]").addEventListener("click", () => {
      this.notice.hidden = true;
      this.drop();
    });
  }

  // Regions without the numbers of their rows, which are others each time.
  plain(regions) {
    return JSON.stringify(regions.map((region) => ({ ...region, key: "" })));
  }

  keep() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      try {
        if (this.editor.text() === this.editor.saved) this.drop();
        else localStorage.setItem(this.place, JSON.stringify(this.editor.regions));
      } catch { /* A browser that keeps nothing. */ }
    }, 300);
  }

  drop() {
    try { localStorage.removeItem(this.place); } catch { /* A browser that keeps nothing. */ }
  }
}
