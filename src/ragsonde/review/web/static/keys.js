// Single keys. They do nothing while one writes, with a modifier, in the dialog, or where the reader turned them off.

const VERDICTS = {
  1: "supported", s: "supported",
  2: "contradicted", c: "contradicted",
  3: "not_found", n: "not_found",
  4: "unsure", u: "unsure",
  0: "",
};
const FIELDS = { e: "corrected_answer", f: "key_facts", m: "note" };
const TICKS = { r: "answer_is_right", b: "unanswerable" };
const ACTIONS = { x: "skip", d: "dismiss" };
const OFF = "ragsonde-keys-off";

const writes = (element) =>
  element.closest("textarea, select, [contenteditable]") ||
  (element.matches("input") && !["radio", "checkbox"].includes(element.type));

export function wireKeys(form, claims, saver) {
  const dialog = document.getElementById("keys");
  const wholeAnswer = document.getElementById("whole");
  let prefixed = false; // "a" was pressed: the next key speaks of the whole answer

  function mark(name, value) {
    const radios = [...form.querySelectorAll(`input[type="radio"][name="${CSS.escape(name)}"]`)];
    const radio = radios.find((one) => one.value === value);
    if (!radio || radio.checked) return;
    radio.checked = true;
    radio.dispatchEvent(new Event("change", { bubbles: true }));
  }

  function markClaim(value) {
    const item = claims.chosen() ?? claims.first();
    if (item) mark(`claim-${item.dataset.claim}`, value);
    else markWhole(value);
  }

  function markWhole(value) {
    mark("verdict", value);
    wholeAnswer.scrollIntoView({ block: "nearest" });
  }

  const press = (action) => form.querySelector(`button[name="action"][value="${action}"]`)?.click();

  function act(key) {
    const lower = key.toLowerCase();
    if (prefixed && lower in VERDICTS) return markWhole(VERDICTS[lower]);
    if (key in VERDICTS) return markClaim(VERDICTS[key]);
    if (key !== lower && lower in VERDICTS) return markWhole(VERDICTS[lower]);
    if (key === "j" || key === "k") return claims.step(key === "j" ? 1 : -1);
    if (key in TICKS) return form.elements[TICKS[key]].click();
    if (key in FIELDS) return form.elements[FIELDS[key]].focus();
    if (key in ACTIONS) return press(ACTIONS[key]);
    if (key === "z") return saver.undo();
    if (key === "Enter") return press("next");
    if (key === "q") return document.getElementById("to-queue").click();
    if (key === "?") return dialog.showModal();
    return false;
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || dialog.open) return;
    if (writes(event.target)) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (isOff() && event.key !== "?") return;
    // Enter does what it is pressed on; everywhere else it saves.
    if (event.key === "Enter" && event.target.closest("a, button, summary")) return;
    const wasPrefixed = prefixed;
    if (act(event.key) !== false) event.preventDefault();
    prefixed = event.key === "a" && !wasPrefixed;
    wholeAnswer.classList.toggle("now", prefixed);
  });

  const box = document.getElementById("keys-on");
  box.checked = !isOff();
  box.addEventListener("change", () => {
    if (box.checked) localStorage.removeItem(OFF);
    else localStorage.setItem(OFF, "1");
  });
  document.getElementById("show-keys").addEventListener("click", () => dialog.showModal());
}

function isOff() {
  try {
    return localStorage.getItem(OFF) !== null;
  } catch {
    return false; // storage is not allowed: keys stay on
  }
}
