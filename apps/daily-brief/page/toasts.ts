import { element } from "@lockstep/app-kit/page/element";

// Long enough to be read twice.
const shownMs = 8_000;
// More would hide the page; the bell has them all.
const mostShown = 3;

/** Short messages in a corner. The place is a live region: screen readers announce them too. */
export class Toasts {
  readonly #place: HTMLElement;

  constructor(place: HTMLElement) {
    this.#place = place;
  }

  show(text: string, kind: "news" | "trouble" = "news"): void {
    const close = element("button", { type: "button", "aria-label": "Dismiss" }, "×");
    const toast = element(
      "div",
      { class: kind === "news" ? "toast" : "toast failed" },
      element("p", {}, text),
      close,
    );
    close.onclick = () => toast.remove();
    this.#place.append(toast);
    while (this.#place.children.length > mostShown) this.#place.firstElementChild?.remove();
    const leave = () => {
      // Not while somebody points at it.
      if (toast.matches(":hover, :focus-within")) setTimeout(leave, shownMs);
      else toast.remove();
    };
    setTimeout(leave, shownMs);
  }

  clear(): void {
    this.#place.replaceChildren();
  }
}
