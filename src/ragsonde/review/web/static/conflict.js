// The same review was saved from another tab: shows what differs, and asks which is to stand.

import { fieldsOf, fill } from "./fields.js";

const NAMES = {
  verdict: "Whole answer",
  corrected_answer: "Right answer",
  answer_is_right: "The answer is right",
  unanswerable: "The sources hold no answer",
  key_facts: "Facts",
  note: "Note",
};

function nameOf(field) {
  if (field.startsWith("claim-")) return `Claim ${Number(field.slice(6)) + 1}`;
  return NAMES[field] ?? field.replace("rubric-", "").replaceAll("_", " ");
}

function shown(value) {
  if (value === true) return "yes";
  return value ? String(value).replaceAll("_", " ") : "nothing";
}

export function showConflict(form, latest, settle) {
  const panel = document.getElementById("conflict");
  const list = document.getElementById("conflict-list");
  const mine = fieldsOf(form);
  const fields = new Set([...Object.keys(latest), ...Object.keys(mine)]);
  fields.delete("version");
  list.replaceChildren();
  for (const field of fields) {
    const there = latest[field] ?? "";
    const here = mine[field] ?? "";
    if (there === here) continue;
    const line = document.createElement("li");
    for (const [text, value] of [[`${nameOf(field)} there: `, there], ["; here: ", here]]) {
      const isolated = document.createElement("bdi");
      isolated.textContent = shown(value);
      line.append(text, isolated);
    }
    list.append(line);
  }
  const close = (fields, keepsOurs) => (event) => {
    event.preventDefault();
    panel.hidden = true;
    fill(form, fields);
    settle(latest.version, keepsOurs);
  };
  const filled = Object.entries(mine).filter(([, value]) => value);
  document.getElementById("keep-mine").onclick = close({ ...mine, version: latest.version }, true);
  document.getElementById("keep-both").onclick = close({ ...latest, ...Object.fromEntries(filled) }, true);
  document.getElementById("take-theirs").onclick = close(latest, false);
  panel.hidden = false;
  panel.focus();
  panel.scrollIntoView({ block: "nearest" });
}
