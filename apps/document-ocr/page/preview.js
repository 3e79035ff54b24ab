import { element, find } from "./elements.js";

const svg = "http://www.w3.org/2000/svg";
const doubtfulBelow = 60;
let shown = { view: null, page: 1 };

/** Shows a page of a document as it was sent, with every word that was read marked on it. */
export async function showPage(view, page) {
  shown = { view, page };
  const dialog = find("preview");
  if (!dialog.open) dialog.showModal();
  find("preview-title").textContent = `${view.name}, page ${page} of ${view.pages}`;
  find("preview-back").disabled = page <= 1;
  find("preview-on").disabled = page >= view.pages;
  find("preview-said").textContent = "The page is being drawn …";
  find("preview-warnings").replaceChildren();
  const path = `/app/documents/${encodeURIComponent(view.id)}/pages/${page}`;
  const picture = element("img");
  picture.alt = `Page ${page} of ${view.name}`;
  picture.onload = () => {
    if (isShown(view, page)) find("preview-said").textContent = describe(read);
  };
  picture.onerror = () => {
    if (isShown(view, page))
      find("preview-said").textContent = "The page could not be drawn. Is the document still stored?";
  };
  const answer = await fetch(path);
  const read = answer.ok ? await answer.json() : null;
  if (!isShown(view, page)) return;
  find("preview-sheet").replaceChildren(picture, ...(read ? [marks(read)] : []));
  find("preview-warnings").replaceChildren(...(read?.warnings ?? []).map((text) => element("li", text)));
  picture.src = `${path}/picture`;
  markFound();
}

const isShown = (view, page) => shown.view.id === view.id && shown.page === page;

function describe(read) {
  if (!read) return "Not read yet.";
  const doubtful = read.words.filter(({ confidence }) => confidence < doubtfulBelow).length;
  const tables =
    read.tables.length === 0
      ? ""
      : `, ${read.tables.length === 1 ? "1 table" : `${read.tables.length} tables`}`;
  return `${read.words.length} words${tables}, confidence ${read.confidence} %, ${doubtful} doubtful, ${read.unread.length} places not read`;
}

function marks({ words, unread, widthPoints, heightPoints }) {
  const drawing = document.createElementNS(svg, "svg");
  drawing.setAttribute("viewBox", `0 0 ${widthPoints} ${heightPoints}`);
  drawing.setAttribute("aria-hidden", "true");
  drawing.append(
    ...words.map((word) => mark(word.box, word.confidence < doubtfulBelow ? "doubtful" : "word", word.text)),
    ...unread.map((box) => mark(box, "unread", "not read")),
  );
  return drawing;
}

function mark({ x, y, width, height }, className, text) {
  const box = document.createElementNS(svg, "rect");
  for (const [name, value] of Object.entries({ x, y, width, height })) box.setAttribute(name, value);
  box.setAttribute("class", className);
  box.dataset.text = text.toLowerCase();
  const title = document.createElementNS(svg, "title");
  title.textContent = text;
  box.append(title);
  return box;
}

function markFound() {
  const wanted = find("preview-find").value.trim().toLowerCase();
  let found = 0;
  for (const box of find("preview-sheet").querySelectorAll("rect")) {
    const isFound = wanted !== "" && box.dataset.text.includes(wanted);
    box.classList.toggle("found", isFound);
    if (isFound) found += 1;
  }
  find("preview-found").textContent = wanted === "" ? "" : found === 1 ? "1 word" : `${found} words`;
}

find("preview-find").oninput = markFound;
find("preview-close").onclick = () => find("preview").close();
find("preview-back").onclick = () => void showPage(shown.view, shown.page - 1);
find("preview-on").onclick = () => void showPage(shown.view, shown.page + 1);
