import { parseHTML } from "linkedom";

/** As much of the DOM as is used here; the compiler knows no browser. */
export interface HtmlElement {
  readonly nodeType: number;
  readonly tagName: string;
  readonly textContent: string | null;
  readonly firstChild: HtmlElement | null;
  readonly nextSibling: HtmlElement | null;
  readonly parentNode: HtmlElement | null;
  getAttribute(name: string): string | null;
  querySelector(selector: string): HtmlElement | null;
  querySelectorAll(selector: string): Iterable<HtmlElement>;
}

export interface HtmlDocument extends HtmlElement {
  readonly documentElement: HtmlElement | null;
}

/** Parses whatever a server calls HTML. */
export function parseHtml(html: string): HtmlDocument {
  const document = parsed(html);
  // Without the elements around it a fragment's first element would be taken for the root, and the rest for nothing.
  return document.documentElement?.tagName.toUpperCase() === "HTML"
    ? document
    : parsed(`<!doctype html><html><head></head><body>${html}</body></html>`);
}

function parsed(html: string): HtmlDocument {
  return parseHTML(html).document as unknown as HtmlDocument;
}

/** Goes through all nodes below a root in the order of the page; without recursion, however deep it is nested. */
export function* nodesBelow(
  root: HtmlElement,
  isSkipped: (element: HtmlElement) => boolean = () => false,
): Generator<{ node: HtmlElement; depth: number }> {
  let node: HtmlElement | null = root.firstChild;
  let depth = 1;
  while (node !== null) {
    yield { node, depth };
    const child: HtmlElement | null = node.nodeType === 1 && !isSkipped(node) ? node.firstChild : null;
    if (child !== null) {
      node = child;
      depth += 1;
      continue;
    }
    while (node !== null && node.nextSibling === null) {
      node = node.parentNode === root ? null : node.parentNode;
      depth -= 1;
    }
    node = node?.nextSibling ?? null;
  }
}
