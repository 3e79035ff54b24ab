import { button, element, find, say } from "./elements.js";
import { showPage } from "./preview.js";

const errorNames = { extraction: "Extraction error", ocr: "OCR error", boost: "Boost error" };
const resultNames = {
  pdf: "Searchable PDF",
  text: "Text",
  json: "JSON with word boxes",
  csv: "Tables as CSV",
};
const live = ["scheduled", "pending", "processing", "retrying"];
const languages = Object.fromEntries(
  [...find("language").options].map(({ value, text }) => [value, text]).filter(([value]) => value !== ""),
);

/** What stands on the page, by job. */
const shown = new Map();
const waiting = new Set();

async function upload(file) {
  const told = say(`${file.name} is being sent …`);
  const query = new URLSearchParams({ name: file.name, language: find("language").value });
  try {
    const answer = await fetch(`/app/documents?${query}`, {
      method: "POST",
      headers: { "content-type": "application/pdf" },
      body: file,
    });
    const { id, created, error } = await answer.json();
    if (!answer.ok) return say(`${file.name}: ${error}`, { isBad: true, instead: told });
    say(created ? `${file.name} was taken.` : `${file.name} is being read already.`, { instead: told });
    await show(id);
  } catch {
    // A server that refuses a large body hangs up before all of it was sent.
    const why = file.size > 25 * 1_048_576 ? "it is larger than 25 MiB" : "the connection was cut";
    say(`${file.name} was not taken: ${why}.`, { isBad: true, instead: told });
  }
}

/** Reads one document again and draws it; if it changes meanwhile, it is drawn once more afterwards. */
async function show(id) {
  if (shown.get(id)?.isReading) return void waiting.add(id);
  const entry = shown.get(id) ?? { item: null, drawn: "", isReading: false };
  shown.set(id, entry);
  entry.isReading = true;
  try {
    const answer = await fetch(`/app/documents/${encodeURIComponent(id)}`);
    if (answer.status === 404) remove(id);
    if (!answer.ok) return;
    const said = await answer.text();
    entry.item ??= place(id);
    // What is the same is left alone, so that whoever is at a button stays there.
    if (said !== entry.drawn) draw(entry.item, JSON.parse(said));
    entry.drawn = said;
  } finally {
    entry.isReading = false;
    if (waiting.delete(id)) setTimeout(show, 250, id);
  }
}

function place(id) {
  const item = element("li", "", "panel document");
  item.dataset.job = id;
  find("documents").prepend(item);
  find("none").hidden = true;
  return item;
}

function remove(id) {
  shown.get(id)?.item?.remove();
  shown.delete(id);
  find("none").hidden = find("documents").children.length > 0;
  offerZip();
}

function draw(item, view) {
  item.classList.toggle("waits", live.includes(view.status) && view.status !== "processing");
  const top = element("div", "", "row apart");
  const badge = element("span", statusName(view), "badge");
  badge.dataset.state = view.status === "processing" ? "running" : view.status;
  const about = element("span", "", "row");
  about.append(element("span", aboutText(view), "quiet"), badge);
  top.append(element("h3", view.name), about);
  const stages = element("div", "", "stages");
  stages.append(...view.stages.map((stage) => stageOf(stage, view)));
  const parts = [top, stages];
  if (view.pages !== null) parts.push(pagesOf(view));
  if (view.needsPassword) parts.push(passwordOf(view));
  for (const { page, text } of view.result?.reading.warnings ?? []) {
    parts.push(element("p", `Page ${page}: ${text}`, "warning"));
  }
  if (view.result) parts.push(filesOf(view), excerptOf(view));
  parts.push(actionsOf(view));
  item.replaceChildren(...parts);
  item.dataset.done = view.result ? "yes" : "no";
  offerZip();
}

const statusName = ({ status }) => (status === "pending" ? "waiting for a worker" : status);

function aboutText({ pages, pagesRead, result }) {
  const words = [];
  if (pages !== null) words.push(`${pages} ${pages === 1 ? "page" : "pages"}`);
  if (pages !== null && !result && pagesRead.length > 0) words.push(`${pagesRead.length} read`);
  if (result) words.push(`confidence ${result.reading.confidence} %`);
  const found = result?.reading.languages.map((code) => languages[code]) ?? [];
  if (found.length > 0) words.push(found.join(", "));
  return words.join(" · ");
}

function stageOf({ name, state, tries, errors }, { stage, status, progress }) {
  const isHere = name === stage && live.includes(status);
  const isOver = !isHere && state !== "done" && state !== "waiting";
  const look = isHere ? (status === "processing" ? "processing" : "waiting") : isOver ? "failed" : state;
  const box = element("div", "", `stage ${look}`);
  box.append(
    element("strong", name),
    element("div", `${stateText(state, isHere, status)}${triesText(tries)}`, "quiet"),
  );
  if (isHere && status === "processing" && progress) {
    box.append(meterOf(name, progress.percent), element("div", progress.note ?? "", "quiet"));
  }
  for (const { attempt, message } of errors) {
    box.append(element("p", `${errorNames[name]} (try ${attempt}): ${message}`, "error"));
  }
  return box;
}

function meterOf(stage, percent) {
  const meter = element("div", "", "meter");
  const said = { role: "progressbar", "aria-valuemin": 0, "aria-valuemax": 100 };
  const shares = { "aria-label": `${stage} so far`, "aria-valuenow": Math.round(percent) };
  for (const [name, value] of Object.entries({ ...said, ...shares })) meter.setAttribute(name, value);
  const filled = element("i");
  filled.style.width = `${percent}%`;
  meter.append(filled);
  return meter;
}

function stateText(state, isHere, status) {
  if (isHere) return status === "processing" ? "at work" : "waiting";
  return state === "waiting" && !live.includes(status) ? "not reached" : state;
}

const triesText = (tries) => (tries > 1 ? `, ${tries} tries` : "");

/** Each page by its number: whether it is read, and how well. */
function pagesOf(view) {
  const row = element("div", "", "pages");
  row.setAttribute("role", "group");
  row.setAttribute("aria-label", `Pages of ${view.name}`);
  const read = new Map(view.pagesRead.map((page) => [page.page, page]));
  for (let number = 1; number <= view.pages; number++) {
    const page = read.get(number);
    const look = page === undefined ? "open" : page.warnings.length > 0 ? "warned" : "read";
    const made = button(String(number), () => void showPage(view, number), `page ${look}`);
    const language = page?.language ? `, ${languages[page.language]}` : "";
    made.title =
      page === undefined
        ? "not read yet"
        : `read, confidence ${page.confidence} %${language}${page.warnings.length > 0 ? `: ${page.warnings.join(" ")}` : ""}`;
    made.setAttribute("aria-label", `Page ${number}, ${made.title}`);
    row.append(made);
  }
  return row;
}

function excerptOf({ name, result }) {
  const excerpt = element("pre", result.excerpt || "No text was found.", "quote excerpt");
  // It may have to be scrolled, also with the keyboard.
  excerpt.tabIndex = 0;
  excerpt.setAttribute("role", "region");
  excerpt.setAttribute("aria-label", `Beginning of the text of ${name}`);
  return excerpt;
}

function filesOf(view) {
  const files = element("div", "", "row files");
  for (const kind of Object.keys(resultNames).filter((each) => view.result.files[each])) {
    const link = element("a", resultNames[kind]);
    link.href = `/app/documents/${encodeURIComponent(view.id)}/${kind}`;
    files.append(link);
  }
  return files;
}

function passwordOf(view) {
  const form = element("form", "", "row password");
  const label = element("label", "Password of the document");
  const input = document.createElement("input");
  Object.assign(input, { type: "password", autocomplete: "off", name: "password" });
  label.append(input);
  const open = element("button", "Open it", "primary");
  form.append(label, open);
  form.onsubmit = (event) => {
    event.preventDefault();
    void unlock(view, input.value, open);
  };
  return form;
}

async function unlock(view, password, open) {
  open.disabled = true;
  const told = say(`${view.name} is being opened …`);
  const answer = await ask(view, "/password", { method: "POST", body: password });
  open.disabled = false;
  const { id, error } = await answer.json();
  if (!answer.ok) return say(`${view.name}: ${error}`, { isBad: true, instead: told });
  say(`${view.name} was opened. The password is not kept.`, { instead: told });
  remove(view.id);
  await show(id);
}

function actionsOf(view) {
  const actions = element("div", "", "row");
  if (["failed", "cancelled"].includes(view.status)) {
    actions.append(
      button("Retry", async () => {
        await ask(view, "/retry", { method: "POST" });
        await show(view.id);
      }),
    );
  }
  actions.append(
    button("Delete", async () => {
      if (!confirm(`Delete ${view.name} and its results?`)) return;
      await ask(view, "", { method: "DELETE" });
      say(`${view.name} was deleted.`);
      remove(view.id);
    }),
  );
  return actions;
}

function ask({ id }, path, init) {
  return fetch(`/app/documents/${encodeURIComponent(id)}${path}`, init);
}

function offerZip() {
  find("zip").hidden = document.querySelector("[data-done=yes]") === null;
}

find("choose").onchange = ({ target }) => {
  for (const file of target.files) void upload(file);
  target.value = "";
};
const drop = find("drop");
for (const kind of ["dragover", "dragleave", "drop"]) {
  drop.addEventListener(kind, (event) => {
    event.preventDefault();
    drop.classList.toggle("over", kind === "dragover");
    if (kind === "drop") for (const file of event.dataTransfer.files) void upload(file);
  });
}

const { ids } = await (await fetch("/app/documents")).json();
for (const id of ids.toReversed()) await show(id);
// The browser comes back by itself with the place it had, so nothing that happens meanwhile is missed.
new EventSource("/lockstep/api/v1/events?pipeline=document-ocr").addEventListener("job", ({ data }) => {
  const { jobId } = JSON.parse(data);
  void show(jobId);
});
