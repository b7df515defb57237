// Keeps the page current without a reload, and without moving what the reader is looking at.
// The server renders everything; here its answer is fetched again and the parts that changed are put in place.

import { localTimes } from "./times.js";

const POLL_MS = 4000;
const overview = document.getElementById("overview");
const filters = document.getElementById("filters");
const list = document.getElementById("interactions");
const moreButton = document.getElementById("show-new");
const pauseButton = document.getElementById("pause");
const note = document.getElementById("live-note");

let paused = false;
let waiting = null; // a newer list that the reader has not asked for yet
let readout = "";

// The chart's readout -----------------------------------------------------------------------------------------

function readRow(row) {
  const output = document.getElementById("readout");
  const cursor = document.getElementById("cursor");
  cursor.classList.toggle("on", Boolean(row));
  if (!row) {
    output.replaceChildren(...readout);
    return;
  }
  for (const end of ["x1", "x2"]) cursor.setAttribute(end, row.dataset.x);
  const [from, rate, interval, judged] = row.children;
  const value = document.createElement("b");
  value.textContent = rate.textContent;
  output.replaceChildren(`${from.textContent}: `, value, ` (${interval.textContent}), ${judged.textContent} judged`);
}

function wireChart() {
  const plot = document.getElementById("plot");
  if (!plot) return;
  readout = [...document.getElementById("readout").childNodes];
  const rows = [...document.querySelectorAll(".series tr[data-x]")].reverse();
  let chosen = -1;
  const show = (index) => {
    chosen = Math.max(0, Math.min(rows.length - 1, index));
    if (rows.length) readRow(rows[chosen]);
  };
  plot.addEventListener("pointermove", (event) => {
    const box = plot.querySelector("svg").getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * 720;
    const distances = rows.map((row) => Math.abs(Number(row.dataset.x) - x));
    show(distances.indexOf(Math.min(...distances)));
  });
  plot.addEventListener("pointerleave", () => readRow(null));
  plot.addEventListener("blur", () => readRow(null));
  plot.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) {
      event.preventDefault();
      show(chosen < 0 ? rows.length - 1 : chosen + step);
    }
  });
}

// Live updates ------------------------------------------------------------------------------------------------

async function fetchPage(address) {
  const response = await fetch(address, { headers: { Accept: "text/html" }, credentials: "same-origin" });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

function isReading(element) {
  const held = document.activeElement;
  return element.contains(held) && held !== document.body;
}

// Puts a region's new content in place; what is open, scrolled or focused in it stays so.
function replaceRegion(region, fresh) {
  const held = region.contains(document.activeElement) ? document.activeElement : null;
  const place = held && (held.id ? `#${held.id}` : held.matches("a[href]") ? `a[href="${CSS.escape(held.getAttribute("href"))}"]` : "summary");
  const open = region.querySelector("details")?.open;
  const scrolled = region.querySelector("details table")?.scrollTop;
  region.replaceChildren(...fresh.childNodes);
  const details = region.querySelector("details");
  if (details && open) {
    details.open = true;
    details.querySelector("table").scrollTop = scrolled;
  }
  if (place) region.querySelector(place)?.focus({ preventScroll: true });
}

function showOverview(page) {
  document.title = page.title;
  const live = page.getElementById("live");
  if (live) document.getElementById("live").replaceChildren(...live.childNodes);
  const regions = ["headline", "chart", "breakdown"];
  const pairs = regions.map((id) => [document.getElementById(id), page.getElementById(id)]);
  if (pairs.some(([shown, fresh]) => !shown || !fresh)) {
    replaceRegion(overview, page.getElementById("overview"));
    wireChart();
  } else {
    for (const [shown, fresh] of pairs) {
      // A reader who is following the chart keeps it until the pointer or the focus leaves it.
      if (shown.id === "chart" && document.querySelector(".cursor.on")) continue;
      replaceRegion(shown, fresh);
      if (shown.id === "chart") wireChart();
    }
  }
  // Without a choice of the reader's the server picks the window; show which one.
  if (!new URLSearchParams(location.search).get("window")) {
    const picked = page.querySelector("#filters [name=window]:checked");
    if (picked) filters.elements.namedItem("window").value = picked.value;
  }
  const select = filters.elements.namedItem("app");
  const known = new Set([...select.options].map((option) => option.value));
  for (const option of page.querySelectorAll("#filters option")) {
    if (!known.has(option.value)) select.append(option);
  }
}

const versions = (root) =>
  new Map([...root.querySelectorAll("article")].map((card) => [card.dataset.id, card.dataset.version]));

function showList(fresh, heading) {
  const before = versions(list);
  const held = list.contains(document.activeElement) ? document.activeElement.closest("article")?.dataset.id : null;
  const open = new Set([...list.querySelectorAll("details[open]")].map((part) => part.closest("article").dataset.id));
  list.replaceChildren(...fresh.childNodes);
  for (const card of list.querySelectorAll("article")) {
    if (before.get(card.dataset.id) !== card.dataset.version) card.classList.add("arrived");
    if (open.has(card.dataset.id)) card.querySelector("details").open = true;
    if (held === card.dataset.id) card.querySelector("summary").focus({ preventScroll: true });
  }
  if (heading) document.getElementById("latest-heading").textContent = heading;
  waiting = null;
  moreButton.hidden = true;
}

function offerList(page) {
  const fresh = page.getElementById("interactions");
  if (!fresh) return;
  if (!list) {
    location.reload(); // the first answer: there was no list to put it in
    return;
  }
  const before = versions(list);
  const news = [...versions(fresh)].filter(([id, version]) => before.get(id) !== version).length;
  if (!news) return;
  const untouched =
    !isReading(list) && !list.querySelector("details[open]") && list.getBoundingClientRect().top > 0 && !getSelection().toString();
  if (untouched) {
    showList(fresh);
  } else {
    waiting = fresh;
    const text = `Show ${news} newer ${news === 1 ? "answer" : "answers"}`;
    if (moreButton.textContent !== text) moreButton.textContent = text;
    moreButton.hidden = false;
  }
}

function setState(state, text) {
  const live = document.getElementById("live");
  live.classList.toggle("lost", state === "lost");
  live.classList.toggle("paused", state === "paused");
  if (note.textContent !== text) note.textContent = text;
}

async function poll() {
  if (!paused && !document.hidden) {
    const address = location.href;
    try {
      const page = await fetchPage(address);
      if (address === location.href) {
        showOverview(page);
        localTimes(page);
        offerList(page);
        localTimes(document);
        setState("live", "");
      }
    } catch {
      setState("lost", "Connection lost, trying again");
    }
  }
  setTimeout(poll, POLL_MS);
}

async function applyFilters() {
  const query = new URLSearchParams(new FormData(filters));
  if (!query.get("app")) query.delete("app");
  const address = `/?${query}`;
  history.replaceState(null, "", address);
  try {
    const page = await fetchPage(address);
    const fresh = page.getElementById("interactions");
    if (!fresh || !list) {
      location.assign(address);
      return;
    }
    showOverview(page);
    showList(fresh, page.getElementById("latest-heading").textContent);
    localTimes(document);
  } catch {
    location.assign(address);
  }
}

document.documentElement.classList.add("scripted");
localTimes(document);
if (filters) {
  wireChart();
  pauseButton.hidden = false;
  pauseButton.addEventListener("click", () => {
    paused = !paused;
    pauseButton.textContent = paused ? "Resume" : "Pause";
    setState(paused ? "paused" : "live", "");
  });
  filters.addEventListener("change", applyFilters);
  moreButton?.addEventListener("click", () => {
    if (waiting) showList(waiting);
    list.querySelector("article")?.scrollIntoView({ block: "nearest" });
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && !paused) fetchPage(location.href).then(showOverview).then(() => localTimes(document), () => {});
  });
  setTimeout(poll, POLL_MS);
}
