// SPDX-License-Identifier: Apache-2.0
// Sends one upload, and says how far it has come.

import { decimal, say } from "./words.js";

// `moved` gets the part that is sent, 0…1. The answer is `{ address }` of the upload's page, `{ page }` with the form that
// says what is wrong, or `null` where the connection broke.
export function sendUpload(action, data, moved) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.upload.addEventListener("progress", (sent) => {
      if (sent.lengthComputable) moved(sent.loaded / sent.total);
    });
    request.addEventListener("load", () => resolve(request.status < 400
      ? { address: request.responseURL } : { page: new DOMParser().parseFromString(request.responseText, "text/html") }));
    request.addEventListener("error", () => resolve(null));
    request.open("POST", action);
    request.setRequestHeader("Accept", "text/html");
    request.send(data);
  });
}

// What is said while a file is sent.
export const sendingWords = (part) =>
  part < 1 ? say("Sending: {percent} %", { percent: Math.floor(100 * part) }) : say("Sent; the file is being stored");

// Hands on what is said aloud, at each quarter only.
export function quarterly(announce) {
  let told = 0;
  return (part) => {
    const quarter = Math.floor(4 * part);
    if (quarter > told) announce(sendingWords(part));
    told = Math.max(told, quarter);
  };
}

export function sizeMistake(file, form) {
  if (!file || file.size <= Number(form.dataset.maxBytes)) return "";
  return say("This file has {size} MB; at most {most} are taken.", {
    size: decimal(file.size / 1e6, 1), most: form.dataset.maxSize });
}
