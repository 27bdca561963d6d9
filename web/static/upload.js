// SPDX-License-Identifier: Apache-2.0
// Shows how much of the file is sent. Without this script the form works all the same.
const form = document.querySelector("form[data-upload]");
form?.addEventListener("submit", (event) => {
  event.preventDefault();
  const row = form.querySelector("[data-upload-progress]");
  const bar = row.querySelector("progress");
  const button = form.querySelector("button");
  const request = new XMLHttpRequest();
  row.hidden = false;
  button.disabled = true;
  request.upload.addEventListener("progress", (sent) => { if (sent.lengthComputable) bar.value = sent.loaded / sent.total; });
  request.addEventListener("load", () => {
    if (request.status < 400) { location.href = request.responseURL; return; }
    // The server's answer is the form again, with what is wrong.
    document.documentElement.innerHTML = request.responseText;
    window.scrollTo(0, 0);
  });
  request.addEventListener("error", () => { row.hidden = true; button.disabled = false; form.submit(); });
  request.open("POST", form.action);
  request.setRequestHeader("Accept", "text/html");
  request.send(new FormData(form));
});
