// SPDX-License-Identifier: Apache-2.0
// Shows what was proposed first beside what it was corrected to, and takes it again where that is wanted.

export function attachProposal(editor) {
  const shown = editor.form.querySelector("[data-show-proposal]");
  const rect = ({ x, y, width, height }) =>
    ({ x: Number(x), y: Number(y), width: Number(width), height: Number(height) });
  const items = [...editor.form.querySelectorAll("[data-proposed]")].map(({ dataset }) => dataset);
  shown?.addEventListener("change", () => {
    editor.page.querySelectorAll(".region-proposed").forEach((mark) => mark.remove());
    for (const item of shown.checked ? items : []) {
      const mark = document.createElement("span");
      mark.className = "region-proposed";
      editor.put(mark, rect(item));
      editor.page.append(mark);
    }
  });
  editor.form.querySelector("[data-take-proposal]")?.addEventListener("click", (event) => {
    // Here, where it can be undone.
    event.preventDefault();
    const unnamed = `${editor.words("unnamed")} `;
    editor.regions = items.map((item) => ({
      key: editor.rows.key(), id: "", name: item.name.startsWith(unnamed) ? "" : item.name, kind: item.kind,
      ...rect(item), scale: "",
    }));
    editor.commit();
    editor.choose([]);
  });
}
