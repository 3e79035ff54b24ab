// Elements that hold none, or that end by themselves when the next one begins.
const shallow = new Set(
  "area base br col embed hr img input link meta source track wbr p li dt dd tr td th thead tbody tfoot colgroup option optgroup".split(
    " ",
  ),
);

/** About how deep the elements of a page lie in each other, told without building them. */
export function nestingOf(html: string): number {
  let depth = 0;
  let deepest = 0;
  // Not to the end of the tag: looking for one that never comes would read the page once for every beginning.
  for (const [, slash, name = ""] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)/gi)) {
    if (shallow.has(name.toLowerCase())) continue;
    depth = Math.max(0, depth + (slash === "" ? 1 : -1));
    if (depth > deepest) deepest = depth;
  }
  return deepest;
}
