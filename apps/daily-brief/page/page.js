import { notificationOf } from "./notification-of.js";

const find = (id) => document.getElementById(id);
const person = find("person");
let stream = null;
let unread = 0;

/** Follows one person's jobs. The cursor is kept, so that what came while the page was closed is told now. */
async function follow(personId) {
  stream?.close();
  const { token } = await json(`/app/token?person=${encodeURIComponent(personId)}`, { method: "POST" });
  const key = `cursor of ${personId}`;
  const after = localStorage.getItem(key) ?? "start";
  const query = new URLSearchParams({ token, after });
  const opened = new EventSource(`/lockstep/api/v1/events?${query}`);
  stream = opened;
  opened.addEventListener("job", ({ data, lastEventId }) => {
    localStorage.setItem(key, lastEventId);
    const notification = notificationOf(JSON.parse(data));
    if (notification === null) return;
    tell(notification);
    void showLists(personId);
  });
  opened.onerror = () => {
    // The browser comes back by itself, except where the token is over: then with a new one, from the kept cursor.
    if (opened.readyState === EventSource.CLOSED && stream === opened)
      setTimeout(() => follow(personId), 2_000);
  };
}

function tell({ event, text }) {
  unread += 1;
  find("count").textContent = String(unread);
  const item = element("li", `${event}: ${text}`);
  find("bell-list").prepend(item);
  const toast = element("p", text);
  find("toasts").append(toast);
  setTimeout(() => toast.remove(), 6_000);
}

async function showLists(personId) {
  const { briefs, messages, projects } = await json(`/app/person?person=${encodeURIComponent(personId)}`);
  show("briefs", briefs, ({ briefDate, headline, summary, focus }) =>
    [`${briefDate} ${headline}`, summary, ...focus].join("\n"),
  );
  show("outbox", messages, ({ kind, recipient, subject, body }) =>
    [`${kind} to ${recipient}${subject ? `: ${subject}` : ""}`, body].join("\n"),
  );
  find("projects").replaceChildren(
    ...projects.map(({ id, name }) => {
      const button = element("button", `Split "${name}" into phases`);
      button.onclick = () => add(personId, { type: "generate_phases", projectId: id });
      return button;
    }),
  );
}

const add = (personId, job) =>
  json(`/app/jobs?person=${encodeURIComponent(personId)}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(job),
  });

// Texts only, never HTML: what stands there was written by people and models.
function show(id, items, textOf) {
  find(id).replaceChildren(...items.map((item) => element("pre", textOf(item))));
}

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

async function json(url, options) {
  const answer = await fetch(url, options);
  if (!answer.ok) throw new Error(`${url} answered with ${answer.status}`);
  return answer.json();
}

async function change() {
  unread = 0;
  find("count").textContent = "0";
  find("bell-list").replaceChildren();
  await showLists(person.value);
  await follow(person.value);
}

find("bell").onclick = () => {
  find("bell-list").hidden = !find("bell-list").hidden;
};
find("brief-now").onclick = () => add(person.value, { type: "generate_daily_brief" });
person.onchange = change;

const people = await json("/app/people");
person.replaceChildren(
  ...people.map(({ id, name }) => Object.assign(element("option", name), { value: id })),
);
await change();
