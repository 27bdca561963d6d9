// SPDX-License-Identifier: Apache-2.0
// Several files at once: a row for each, with its own name and summary, sent one after the other, each followed until it
// waits for a moderator.

import { quarterly, sendingWords, sendUpload, sizeMistake } from "./upload-send.js";
import { say } from "./words.js";

// Event streams that are open at once: browsers open few connections to one host, and the pages need some.
const followedAtOnce = 2;
const fieldsOfRows = ["name", "summary", "file"];
const stepOf = ({ progress: { step } }) => step.charAt(0).toUpperCase() + step.slice(1);
const key = (file) => `${file.name}|${file.size}|${file.lastModified}`;

// `lantern-and-blade_v2.pdf`: `Lantern and blade v2`.
function nameOf(file) {
  const words = file.name.replace(/\.[a-z0-9]{1,12}$/i, "").replace(/[-_]+/g, " ").replace(/\s+/g, " ").trim();
  return (words.charAt(0).toUpperCase() + words.slice(1)).slice(0, 80);
}

export class UploadRows {
  constructor(form, announce) {
    Object.assign(this, { form, announce, rows: new Map(), waiting: [], followed: 0 });
    this.blank = document.querySelector("template[data-row]");
    this.panel = form.querySelector("[data-files]");
    this.list = form.querySelector("[data-rows]");
    const words = [...form.querySelectorAll("[data-state-words] li")];
    this.words = Object.fromEntries(words.map((word) => [word.dataset.state, word.textContent]));
  }

  get isMany() {
    return this.rows.size > 1;
  }

  get label() {
    const count = this.unsent.length;
    if (!this.isMany) return say("Upload");
    return count === 1 ? say("Upload 1 file") : say("Upload {count} files", { count });
  }

  get input() {
    return this.form.querySelector("#file");
  }

  get unsent() {
    return [...this.rows.values()].filter((row) => !row.isDone);
  }

  // Makes the rows those of the chosen files, and of what is sent already.
  choose(files) {
    const chosen = new Map(files.map((file) => [key(file), file]));
    for (const [name, row] of this.rows) if (!chosen.has(name) && !row.isDone) this.take(name);
    for (const [name, file] of chosen) if (!this.rows.has(name)) this.rows.set(name, this.row(file, name));
    this.show();
  }

  take(name) {
    this.rows.get(name).element.remove();
    this.rows.delete(name);
  }

  // Without several files the form is that of one.
  show() {
    const { isMany } = this;
    this.panel.hidden = !isMany;
    const one = this.form.querySelector("[data-one]");
    one.hidden = isMany;
    one.querySelectorAll("input").forEach((input) => { input.disabled = isMany; });
    this.list.querySelectorAll("[data-field]").forEach((input) => { input.disabled = !isMany; });
    this.input.required = !this.rows.size || this.unsent.length > 0;
    const button = this.form.querySelector("[data-send]");
    button.textContent = this.label;
    button.hidden = isMany && this.unsent.length === 0;
  }

  row(file, name) {
    const element = this.blank.content.firstElementChild.cloneNode(true);
    const find = (part) => element.querySelector(`[data-${part}]`);
    find("file-name").textContent = file.name;
    for (const field of ["name", "summary"]) {
      const input = element.querySelector(`[data-field="${field}"]`);
      input.id = `row-${this.list.childElementCount}-${field}-${Math.random().toString(36).slice(2)}`;
      element.querySelector(`[data-for="${field}"]`).htmlFor = input.id;
    }
    const typed = (field) => this.form.querySelector(`#${field}`).value;
    element.querySelector("[data-field=name]").value = (!this.rows.size && typed("name")) || nameOf(file);
    element.querySelector("[data-field=summary]").value = typed("summary");
    find("bar").setAttribute("aria-label", file.name);
    find("remove").setAttribute("aria-label", say("Remove {name}", { name: file.name }));
    find("remove").addEventListener("click", () => this.remove(name));
    this.list.append(element);
    return { file, element, find, isDone: false };
  }

  remove(name) {
    this.keep([...this.input.files].filter((file) => key(file) !== name));
    this.announce(say("{name} is taken out.", { name: this.rows.get(name).file.name }));
    this.choose([...this.input.files]);
    (this.isMany ? this.panel.querySelector("h2") : this.input).focus();
  }

  // What the field for files holds on to.
  keep(files) {
    const kept = new DataTransfer();
    files.forEach((file) => kept.items.add(file));
    this.input.files = kept.files;
  }

  // Whether all of them may be sent; says what is wrong with those that may not.
  check() {
    const large = this.unsent.filter((row) => sizeMistake(row.file, this.form));
    large.forEach((row) => this.fail(row, [sizeMistake(row.file, this.form)]));
    return large.length === 0;
  }

  // One after the other; stops where something is wrong that all of them share.
  async send() {
    for (const row of this.unsent) if (!await this.sendRow(row)) break;
    this.keep(this.unsent.map((row) => row.file));
    this.show();
    const failed = this.unsent.length;
    if (failed) {
      this.announce(failed === 1
        ? say("One file could not be sent.") : say("{count} files could not be sent.", { count: failed }));
      this.unsent.find((row) => row.element.querySelector(".upload-state.bad"))?.element.querySelector("input").focus();
    } else {
      this.announce(say("All files are sent."));
      this.panel.querySelector("h2").focus();
    }
  }

  // `false` where the others need not be tried.
  async sendRow(row) {
    const data = new FormData(this.form);
    fieldsOfRows.forEach((field) => data.delete(field));
    for (const input of row.element.querySelectorAll("[data-field]")) data.set(input.dataset.field, input.value);
    data.set("file", row.file);
    const tell = quarterly((words) => this.announce(`${row.file.name}: ${words}`));
    this.state(row, sendingWords(0), "");
    row.find("faults").hidden = true;
    row.find("bar").hidden = false;
    row.find("remove").hidden = true;
    const answer = await sendUpload(this.form.action, data, (part) => {
      row.find("bar").value = part;
      this.state(row, sendingWords(part), "");
      tell(part);
    });
    if (answer?.address) {
      this.done(row, answer.address);
      return true;
    }
    row.find("bar").hidden = true;
    row.find("remove").hidden = false;
    if (!answer) {
      this.fail(row, [say("The connection broke. Try again.")]);
      return false;
    }
    const faults = [...answer.page.querySelectorAll(".faults a")];
    const alert = answer.page.querySelector("[role=alert] p, .notice p, main p")?.textContent ?? say("This did not work.");
    this.fail(row, faults.length ? faults.map((fault) => fault.textContent) : [alert]);
    return faults.length > 0 && faults.every((fault) => fieldsOfRows.includes(fault.hash.slice(1)));
  }

  fail(row, faults) {
    this.state(row, say("Not sent"), "bad");
    const list = row.find("faults");
    list.replaceChildren(...faults.map((fault) => {
      const line = document.createElement("li");
      line.textContent = fault;
      return line;
    }));
    list.hidden = false;
    this.announce(`${row.file.name}: ${faults.join(" ")}`);
  }

  done(row, address) {
    row.isDone = true;
    row.id = new URL(address).pathname.split("/").pop();
    row.element.querySelectorAll("[data-field]").forEach((input) => { input.readOnly = true; });
    const name = row.element.querySelector("[data-field=name]").value;
    row.find("file-name").textContent = name;
    row.find("words").remove();
    row.find("remove").remove();
    const link = row.find("open");
    link.href = address;
    link.hidden = false;
    link.setAttribute("aria-label", say("Open {name}", { name }));
    row.find("bar").removeAttribute("value");
    this.state(row, this.words.received, "");
    this.waiting.push(row);
    this.follow();
  }

  state(row, words, tone) {
    row.find("state").textContent = words;
    row.element.querySelector(".upload-state").className = `upload-state ${tone}`;
  }

  // The inspection of the next, as it comes.
  follow() {
    if (this.followed >= followedAtOnce) return;
    const row = this.waiting.shift();
    if (!row) return;
    this.followed += 1;
    const events = new EventSource(`/api/v1/submissions/${row.id}/events`);
    const end = () => {
      events.close();
      this.followed -= 1;
      this.follow();
    };
    events.addEventListener("error", () => {
      if (events.readyState !== EventSource.CLOSED) return;
      end();
      // A market that is busy refuses for a while; the browser does not ask again by itself then.
      row.triesLeft = (row.triesLeft ?? 40) - 1;
      if (row.triesLeft > 0) setTimeout(() => { this.waiting.push(row); this.follow(); }, 3000);
    });
    events.addEventListener("submission", (event) => {
      const status = JSON.parse(event.data);
      const isMoving = ["received", "inspecting"].includes(status.state);
      row.find("bar").value = isMoving ? status.progress.fraction : 1;
      if (isMoving) {
        this.state(row, `${this.words[status.state]}: ${say(stepOf(status))}`, "");
        return;
      }
      row.find("bar").hidden = true;
      this.state(row, this.words[status.state], status.state === "rejected" ? "bad" : "good");
      this.announce(`${row.find("file-name").textContent}: ${this.words[status.state]}`);
      end();
    });
  }
}
