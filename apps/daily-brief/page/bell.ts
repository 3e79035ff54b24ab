import { timeText } from "../src/services/date-text.ts";
import { element, part } from "./element.ts";
import type { Notification } from "./notification-of.ts";

const mostShown = 50;

/** The bell: all notifications, newest first, and how many have not been read. */
export class Bell {
  readonly #button = part("bell", HTMLButtonElement);
  readonly #count = part("bell-count", HTMLSpanElement);
  readonly #panel = part("bell-panel", HTMLElement);
  readonly #list = part("bell-list", HTMLOListElement);
  readonly #empty = part("bell-empty", HTMLParagraphElement);
  #personId = "";
  #timeZone = "UTC";
  #unread = 0;
  #newestAt = "";

  constructor() {
    this.#panel.addEventListener("toggle", () => {
      if (this.#panel.matches(":popover-open")) this.#look();
    });
  }

  /** Starts again for another person. */
  of(personId: string, timeZone: string): void {
    this.#personId = personId;
    this.#timeZone = timeZone;
    this.#newestAt = "";
    this.#list.replaceChildren();
    this.#empty.hidden = false;
    this.#show(0);
  }

  /** Answers whether it is new to the person, who may have looked at it on an earlier visit. */
  add({ event, text }: Notification, at: string): boolean {
    const isNew = at > this.#seenUntil;
    if (at > this.#newestAt) this.#newestAt = at;
    const time = element("time", { datetime: at }, timeText(new Date(at), this.#timeZone));
    const item = element("li", { "data-event": event }, element("p", {}, text), time);
    this.#list.prepend(item);
    if (this.#list.children.length > mostShown) this.#list.lastElementChild?.remove();
    this.#empty.hidden = true;
    if (!isNew) return false;
    item.classList.add("new");
    if (this.#panel.matches(":popover-open")) this.#look();
    else this.#show(this.#unread + 1);
    return true;
  }

  #look(): void {
    if (this.#newestAt > this.#seenUntil) localStorage.setItem(this.#key, this.#newestAt);
    this.#show(0);
  }

  #show(unread: number): void {
    this.#unread = unread;
    this.#count.hidden = unread === 0;
    this.#count.textContent = unread > 99 ? "99+" : String(unread);
    this.#button.setAttribute("aria-label", unread === 0 ? "Notifications" : `Notifications, ${unread} new`);
  }

  get #key(): string {
    return `daily-brief seen ${this.#personId}`;
  }

  get #seenUntil(): string {
    return localStorage.getItem(this.#key) ?? "";
  }
}
