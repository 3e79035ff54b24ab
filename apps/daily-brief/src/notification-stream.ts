import type { NotificationKeeper } from "./services/notification-keeper.ts";
import type { KeptNotification, NotificationStore } from "./store/notification-store.ts";

// Keeps proxies from closing a quiet stream, and finds what another process has kept.
const lookEveryMs = 15_000;

export interface NotificationStreamParts {
  readonly store: NotificationStore;
  readonly keeper: NotificationKeeper;
  readonly personId: string;
  /** The last one that the browser has, if it comes back. */
  readonly lastId: number | null;
  /** Asked before each look: who has signed out or is gone is told nothing more. */
  readonly isStillOpen: () => Promise<boolean>;
}

/** One person's notifications as server-sent events: first those that were missed, then each as it comes. */
export function notificationStream(parts: NotificationStreamParts): Response {
  const { store, keeper, personId, lastId, isStillOpen } = parts;
  const encoder = new TextEncoder();
  let end = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      let last = lastId;
      let isLooking = false;
      let isAsked = false;
      const say = (text: string) => controller.enqueue(encoder.encode(text));
      const look = async () => {
        isAsked = true;
        if (isLooking) return;
        isLooking = true;
        try {
          while (isAsked) {
            isAsked = false;
            if (!(await isStillOpen())) return end();
            const isFirst = last === null;
            const found = last === null ? await store.atFirst(personId) : await store.after(personId, last);
            last = found.at(-1)?.id ?? last ?? 0;
            say(found.map((one) => messageOf(one, isFirst)).join("") || ": nothing new\n\n");
          }
        } catch {
          // The browser comes back by itself, after the last one that it has.
          end();
        } finally {
          isLooking = false;
        }
      };
      const unwatch = keeper.watch(personId, () => void look());
      const timer = setInterval(() => void look(), lookEveryMs);
      end = () => {
        end = () => {};
        unwatch();
        clearInterval(timer);
        keeper.signal.removeEventListener("abort", close);
        controller.close();
      };
      const close = () => end();
      keeper.signal.addEventListener("abort", close);
      void look();
    },
    cancel: () => end(),
  });
  return new Response(body, {
    headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" },
  });
}

function messageOf({ id, event, ...rest }: KeptNotification, isMissed: boolean): string {
  const data = { type: "broadcast", event, ...rest, isMissed };
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
