// The review pages: saves as one labels, and makes them work from the keyboard. Without it all is plain forms.

import { claimsOf } from "./claims.js";
import { wireKeys } from "./keys.js";
import { saverOf } from "./saving.js";
import { localTimes } from "./times.js";

const HOLD_MS = 60_000;

function wireItem(form) {
  const saver = saverOf(form);
  const claims = claimsOf(form);
  wireKeys(form, claims, saver);
  form.addEventListener("submit", (event) => saver.beforeSubmit(event));
  if (form.dataset.state === "open") setInterval(() => keepHold(form), HOLD_MS);
}

// A hold ends by itself; whoever still looks at the page keeps it.
async function keepHold(form) {
  if (document.hidden) return;
  const body = new URLSearchParams({ token: form.elements.token.value, action: "hold" });
  try {
    const response = await fetch(form.getAttribute("action"), { method: "POST", body, headers: { Accept: "application/json" } });
    const holder = response.ok ? (await response.json()).held_by : null;
    document.getElementById("held").hidden = !holder;
    document.getElementById("held-by").textContent = holder ?? "";
  } catch {
    // The next beat tries again; labels are saved on their own.
  }
}

function wireQueue(start) {
  document.addEventListener("keydown", (event) => {
    const free = !event.ctrlKey && !event.altKey && !event.metaKey && !event.isComposing;
    if (free && event.key === "Enter" && !event.target.closest("a, button, input, select, textarea, summary")) {
      event.preventDefault();
      start.requestSubmit();
    }
  });
}

document.documentElement.classList.add("scripted");
localTimes(document);
const form = document.getElementById("review");
const start = document.getElementById("start");
if (form) wireItem(form);
if (start) wireQueue(start);
