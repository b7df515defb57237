// Saves what stands in the form as it changes, one request at a time. What could not be saved is tried again until it is.

import { showConflict } from "./conflict.js";
import { fill } from "./fields.js";

const TYPING_MS = 700;
const RETRY_MS = [1000, 2000, 5000, 10_000, 30_000];

export function saverOf(form) {
  const state = document.getElementById("save-state");
  const retryButton = document.getElementById("retry");
  const address = form.getAttribute("action"); // a button of this name hides form.action
  let dirty = false; // something stands in the form that the server does not have
  let running = null; // the save that is under way
  let failures = 0;
  let stopped = false; // a conflict waits for the reader, or the page is being left
  let timer = 0;

  function tell(text, failing = false) {
    if (state.textContent !== text) state.textContent = text;
    state.classList.toggle("failing", failing);
    retryButton.hidden = !failing;
  }

  async function post(action) {
    const body = new URLSearchParams(new FormData(form));
    body.set("action", action);
    const response = await fetch(address, { method: "POST", body, headers: { Accept: "application/json" } });
    const kind = response.headers.get("Content-Type") ?? "";
    const answer = kind.startsWith("application/json") ? await response.json() : {};
    return { response, answer };
  }

  async function saveOnce() {
    dirty = false;
    tell("Saving …");
    try {
      const { response, answer } = await post("save");
      if (response.status === 409) {
        dirty = true;
        stopped = true;
        tell("Not saved: changed elsewhere", true);
        retryButton.hidden = true;
        showConflict(form, answer.latest, settle);
        return;
      }
      if (response.status >= 400 && response.status < 500) {
        refused(answer.error ?? `the server answered ${response.status}`);
        return;
      }
      if (!response.ok) throw new Error(answer.error ?? `the server answered ${response.status}`);
      failures = 0;
      form.elements.version.value = answer.review.version;
      if (!dirty) tell("Saved");
    } catch (error) {
      dirty = true;
      const wait = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)];
      failures += 1;
      const why = error instanceof TypeError ? "no connection" : error.message;
      tell(`Not saved (${why}); trying again`, true);
      schedule(wait);
    }
  }

  // Trying the same again would not help; the next change, or the reader, does try again.
  function refused(why) {
    dirty = true;
    failures += 1;
    tell(`Not saved: ${why}`, true);
  }

  // Saves until nothing is left to save, or it fails.
  function save() {
    clearTimeout(timer);
    if (stopped) return Promise.resolve();
    running ??= saveOnce().finally(() => {
      running = null;
      if (dirty && !failures && !stopped) return save();
    });
    return running;
  }

  function schedule(wait) {
    clearTimeout(timer);
    timer = setTimeout(save, wait);
  }

  function changed(wait) {
    dirty = true;
    if (!stopped && !failures) schedule(wait);
    else if (failures) schedule(Math.min(wait, RETRY_MS[0]));
  }

  // The reader has decided: ``theirs`` stands in the form already, or ours is saved over it.
  function settle(version, keepsOurs) {
    form.elements.version.value = version;
    stopped = false;
    dirty = keepsOurs;
    if (keepsOurs) save();
    else tell("Saved");
  }

  async function undo() {
    await settled();
    if (dirty || stopped) return;
    if (form.elements.version.value === "0") {
      // Nothing was changed here: what was changed last, on the item before, is taken back.
      stopped = true;
      document.getElementById("undo-last").requestSubmit();
      return;
    }
    try {
      const { response, answer } = await post("undo");
      if (!response.ok) throw new Error(answer.error ?? `the server answered ${response.status}`);
      fill(form, answer.review);
      tell("Taken back");
    } catch (error) {
      tell(`Not taken back: ${error instanceof TypeError ? "no connection" : error.message}`, true);
      retryButton.hidden = true;
    }
  }

  const settled = () => (dirty || running ? save() : Promise.resolve());

  // A button that leaves the page waits for what is not saved yet.
  function beforeSubmit(event) {
    const button = event.submitter;
    if (button?.id === "keep-mine") return;
    if (button?.value === "undo") {
      event.preventDefault();
      undo();
      return;
    }
    clearTimeout(timer);
    if (!dirty && !running) {
      stopped = true;
      return;
    }
    event.preventDefault();
    settled().then(() => {
      if (dirty || stopped) return; // the page says why it could not be saved
      form.requestSubmit(button);
    });
  }

  form.addEventListener("change", () => changed(0));
  form.addEventListener("input", (event) => {
    if (event.target.matches("textarea, input:not([type=radio], [type=checkbox])")) changed(TYPING_MS);
  });
  retryButton.addEventListener("click", () => {
    failures = 0;
    save();
  });
  addEventListener("online", () => dirty && save());
  addEventListener("beforeunload", (event) => {
    if (dirty || running) event.preventDefault();
  });
  return { undo, beforeSubmit };
}
