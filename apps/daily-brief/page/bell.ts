import { element, part } from "@lockstep/app-kit/page/element";
import { timeText } from "../src/services/date-text.ts";
import type { ToldNotification } from "./brief-api.ts";

const mostShown = 50;

/** The bell: all notifications, newest first, and how many have not been read. */
export class Bell {
  readonly #button = part("bell", HTMLButtonElement);
  readonly #count = part("bell-count", HTMLSpanElement);
  readonly #panel = part("bell-panel", HTMLElement);
  readonly #list = part("bell-list", HTMLOListElement);
  readonly #empty = part("bell-empty", HTMLParagraphElement);
  #timeZone = "UTC";
  #unread = 0;
  #newestId = 0;
  #onRead: (upToId: number) => void = () => {};

  constructor() {
    this.#panel.addEventListener("toggle", () => {
      if (this.#panel.matches(":popover-open")) this.#look();
    });
  }

  /** Starts again for another person. */
  of(timeZone: string, onRead: (upToId: number) => void): void {
    this.#timeZone = timeZone;
    this.#onRead = onRead;
    this.#newestId = 0;
    this.#list.replaceChildren();
    this.#empty.hidden = false;
    this.#show(0);
  }

  add({ event, text, at, isRead }: ToldNotification, id: number): void {
    this.#newestId = id;
    const time = element("time", { datetime: at }, timeText(new Date(at), this.#timeZone));
    const item = element("li", { "data-event": event }, element("p", {}, text), time);
    this.#list.prepend(item);
    if (this.#list.children.length > mostShown) this.#list.lastElementChild?.remove();
    this.#empty.hidden = true;
    if (isRead) return;
    item.classList.add("new");
    if (this.#panel.matches(":popover-open")) this.#look();
    else this.#show(this.#unread + 1);
  }

  #look(): void {
    if (this.#newestId > 0) this.#onRead(this.#newestId);
    this.#show(0);
  }

  #show(unread: number): void {
    this.#unread = unread;
    this.#count.hidden = unread === 0;
    this.#count.textContent = unread > 99 ? "99+" : String(unread);
    this.#button.setAttribute("aria-label", unread === 0 ? "Notifications" : `Notifications, ${unread} new`);
  }
}
