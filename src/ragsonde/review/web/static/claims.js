// Which claim is being looked at: shown in the list, in the answer and in the passage that decided it.

export function claimsOf(form) {
  const items = [...form.querySelectorAll("#claims > li")];
  const sources = form.querySelector(".sources");
  let current = -1;

  const marksOf = (index) => [
    ...form.querySelectorAll(`mark[data-claim="${index}"]`),
    ...form.querySelectorAll(`mark[data-claims~="${index}"]`),
  ];

  function choose(place, { focus = true } = {}) {
    if (!items.length) return null;
    current = Math.max(0, Math.min(items.length - 1, place));
    const item = items[current];
    for (const other of items) other.classList.toggle("now", other === item);
    for (const mark of form.querySelectorAll("mark.now")) mark.classList.remove("now");
    for (const passage of form.querySelectorAll(".passages > li.shown")) passage.classList.remove("shown");
    const marks = marksOf(item.dataset.claim);
    for (const mark of marks) mark.classList.add("now");
    const quote = marks.find((mark) => mark.dataset.claims !== undefined);
    sources.classList.toggle("dim", Boolean(quote));
    if (focus) {
      item.focus({ preventScroll: true });
      item.scrollIntoView({ block: "nearest" });
    }
    if (quote) showPassage(quote.closest("li"), quote);
    return item;
  }

  // On a narrow screen the passages stand below: going there would take the claim out of sight.
  function showPassage(passage, quote) {
    passage.classList.add("shown");
    if (getComputedStyle(sources).position !== "sticky") return;
    scrollWithin(sources, passage);
    scrollWithin(quote.closest(".passage"), quote);
  }

  function scrollWithin(box, part) {
    const outer = box.getBoundingClientRect();
    const inner = part.getBoundingClientRect();
    if (inner.top < outer.top || inner.bottom > outer.bottom) box.scrollTop += inner.top - outer.top - 12;
  }

  form.addEventListener("focusin", (event) => {
    const place = items.indexOf(event.target.closest("#claims > li"));
    if (place >= 0 && place !== current) choose(place, { focus: false });
  });
  form.addEventListener("click", (event) => {
    const place = items.indexOf(event.target.closest("#claims > li"));
    const mark = event.target.closest("mark[data-claim]");
    if (place >= 0 && place !== current) choose(place, { focus: false });
    if (mark && !event.target.closest("a")) choose(items.findIndex((item) => item.dataset.claim === mark.dataset.claim));
  });

  return {
    step: (by) => choose(current < 0 ? (by > 0 ? 0 : items.length - 1) : current + by),
    chosen: () => items[current] ?? null,
    first: () => choose(0),
  };
}
