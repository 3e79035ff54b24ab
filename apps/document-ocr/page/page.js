const find = (id) => document.getElementById(id);
const errorNames = { extraction: "Extraction error", ocr: "OCR error", boost: "Boost error" };
const resultNames = { pdf: "Searchable PDF", text: "Text", json: "JSON with word boxes" };
const live = ["scheduled", "pending", "processing", "retrying"];

/** What stands on the page, by job. */
const shown = new Map();
const waiting = new Set();

async function upload(file) {
  const told = say(`${file.name} is being sent …`);
  try {
    const answer = await fetch(`/app/documents?name=${encodeURIComponent(file.name)}`, {
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

function say(text, { isBad = false, instead } = {}) {
  const line = element("p", text, isBad ? "bad" : "");
  if (instead) instead.replaceWith(line);
  else find("said").prepend(line);
  while (find("said").children.length > 5) find("said").lastChild.remove();
  return line;
}

/** Reads one document again and draws it; if it changes meanwhile, it is drawn once more afterwards. */
async function show(id) {
  if (shown.get(id)?.isReading) return void waiting.add(id);
  const entry = shown.get(id) ?? { place: place(id), isReading: false };
  shown.set(id, entry);
  entry.isReading = true;
  try {
    const answer = await fetch(`/app/documents/${encodeURIComponent(id)}`);
    if (answer.ok) draw(entry.place, await answer.json());
  } finally {
    entry.isReading = false;
    if (waiting.delete(id)) setTimeout(show, 250, id);
  }
}

function place(id) {
  const item = element("li", "", "document");
  item.dataset.job = id;
  find("none").hidden = true;
  find("documents").prepend(item);
  return item;
}

// Text only, never HTML: it was read from a stranger's document.
function draw(item, view) {
  const top = element("div", "", "top");
  top.append(element("h3", view.name), element("span", statusText(view), "quiet"));
  const stages = element("div", "", "stages");
  stages.append(...view.stages.map((stage) => stageOf(stage, view)));
  const parts = [top, stages];
  if (view.result) {
    const files = element("div", "", "files");
    for (const kind of Object.keys(resultNames)) {
      const link = element("a", resultNames[kind]);
      link.href = `/app/documents/${encodeURIComponent(view.id)}/${kind}`;
      files.append(link);
    }
    parts.push(files, element("pre", view.result.excerpt || "No text was found."));
  }
  item.replaceChildren(...parts);
}

function statusText({ status, pages, result }) {
  const words = [status];
  if (pages !== null) words.push(`${pages} ${pages === 1 ? "page" : "pages"}`);
  if (result) words.push(`confidence ${result.reading.confidence} %`);
  return words.join(" · ");
}

function stageOf({ name, state, tries, errors }, { stage, status, progress }) {
  const isHere = name === stage && live.includes(status);
  const isOver = !isHere && state !== "done" && state !== "waiting";
  const box = element("div", "", `stage ${isHere ? "processing" : isOver ? "failed" : state}`);
  box.append(
    element("strong", name),
    element("div", `${stateText(state, isHere, status)}${triesText(tries)}`, "quiet"),
  );
  if (isHere && progress) {
    const bar = document.createElement("progress");
    Object.assign(bar, { max: 100, value: progress.percent });
    bar.setAttribute("aria-label", `${name} so far`);
    box.append(bar, element("div", progress.note ?? "", "quiet"));
  }
  for (const { attempt, message } of errors) {
    box.append(element("p", `${errorNames[name]} (try ${attempt}): ${message}`, "error"));
  }
  return box;
}

function stateText(state, isHere, status) {
  if (isHere) return status === "processing" ? "at work" : status;
  return state === "waiting" && !live.includes(status) ? "not reached" : state;
}

const triesText = (tries) => (tries > 1 ? `, ${tries} tries` : "");

function element(name, text, className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
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
  void show(JSON.parse(data).jobId);
});
