// Times of the server, in UTC, as the reader's own.

const long = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const short = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat([], { dateStyle: "medium" });
const dated = new Intl.DateTimeFormat([], { dateStyle: "medium", timeStyle: "short" });

export function localTimes(root) {
  for (const time of root.querySelectorAll("time")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    const onAxis = time.closest(".x-axis") && at.getSeconds() === 0;
    const kind = time.classList;
    time.textContent = (kind.contains("day") ? day : kind.contains("dated") ? dated : onAxis ? short : long).format(at);
    time.title = at.toLocaleString();
  }
}
