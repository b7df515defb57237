// A choice takes effect at once; times are the reader's own.

import { localTimes } from "./times.js";

document.documentElement.classList.add("scripted");
localTimes(document);
const filters = document.getElementById("filters");
filters.addEventListener("change", () => filters.requestSubmit());
