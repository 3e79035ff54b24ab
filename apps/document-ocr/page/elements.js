export const find = (id) => document.getElementById(id);

/** Text only, never HTML: it was read from a stranger's document. */
export function element(name, text = "", className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

export function button(text, onClick, className = "") {
  const made = element("button", text, className);
  made.type = "button";
  made.onclick = onClick;
  return made;
}

export function say(text, { isBad = false, instead } = {}) {
  const line = element("p", text, isBad ? "trouble" : "quiet");
  if (instead) instead.replaceWith(line);
  else find("said").prepend(line);
  while (find("said").children.length > 5) find("said").lastChild.remove();
  return line;
}
