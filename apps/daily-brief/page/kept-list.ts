import { element } from "@lockstep/app-kit/page/element";

export interface KeptListParts<Item> {
  readonly place: HTMLElement;
  readonly idOf: (item: Item) => string;
  readonly draw: (item: Item) => HTMLElement;
  /** Changes what was drawn; otherwise its content is drawn anew. */
  readonly redraw?: (made: HTMLElement, item: Item) => void;
}

interface Shown {
  readonly made: HTMLElement;
  content: string;
}

/**
 * A list that is redrawn often. Entries that have not changed are not touched, so that what somebody has opened, focused
 * or started to press stays as it is; of changed entries only the content is replaced.
 */
export class KeptList<Item> {
  readonly #parts: KeptListParts<Item>;
  readonly #none = element("p", { class: "quiet" });
  #shown = new Map<string, Shown>();

  constructor(parts: KeptListParts<Item>) {
    this.#parts = parts;
  }

  /** `none`: what stands there if there is nothing. */
  show(items: readonly Item[], none: string | null): void {
    this.#shown = new Map(items.map((item) => [this.#parts.idOf(item), this.#shownOf(item)]));
    this.#none.textContent = none;
    const empty = none === null ? [] : [this.#none];
    this.#arrange(items.length === 0 ? empty : [...this.#shown.values()].map(({ made }) => made));
  }

  #shownOf(item: Item): Shown {
    const { idOf, draw, redraw } = this.#parts;
    const content = JSON.stringify(item);
    const known = this.#shown.get(idOf(item));
    if (known === undefined) return { made: draw(item), content };
    if (known.content === content) return known;
    if (redraw === undefined) known.made.replaceChildren(...draw(item).childNodes);
    else redraw(known.made, item);
    known.content = content;
    return known;
  }

  // An element that is moved, even to the same place, loses its focus and a press on it.
  #arrange(wanted: readonly HTMLElement[]): void {
    const { place } = this.#parts;
    for (const child of [...place.children]) if (!wanted.some((one) => one === child)) child.remove();
    for (const [index, one] of wanted.entries()) {
      const there = place.children[index] ?? null;
      if (there !== one) place.insertBefore(one, there);
    }
  }
}
