import { apiBase, basePath } from "../api/base-path.ts";
import { EventStream, type StreamMessage } from "./event-stream.ts";
import { type LiveKind, liveStatus } from "./live-status.ts";
import { StreamLock } from "./stream-lock.ts";
import { type LiveWish, streamQuery } from "./wish.ts";

type TabMessage =
  | { readonly kind: "message"; readonly message: StreamMessage }
  | { readonly kind: "status"; readonly status: LiveKind; readonly pollMs: number | null }
  | { readonly kind: "wish"; readonly tab: string; readonly wish: LiveWish | null }
  | { readonly kind: "who" };

const settleMs = 200;
const firstPollMs = 2_000;
const lastPollMs = 15_000;
const failuresBeforePolling = 3;

/**
 * One stream for all tabs of a browser: HTTP/1.1 gives six connections to an origin, whatever the number of tabs.
 * The visible tab that holds the lock opens it and passes on what it hears.
 */
export class LiveTab {
  readonly #id = Math.random().toString(36).slice(2);
  readonly #wishes = new Map<number, LiveWish>();
  readonly #others = new Map<string, LiveWish>();
  readonly #onMessage: (message: StreamMessage) => void;
  readonly #onReturn: () => void;
  readonly #stream: EventStream;
  readonly #channel: BroadcastChannel | null;
  readonly #lock: StreamLock;
  #isLeader = false;
  #isPaused = false;
  #isHidden = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #nextWish = 1;

  constructor(onMessage: (message: StreamMessage) => void, onReturn: () => void) {
    this.#onMessage = onMessage;
    this.#onReturn = onReturn;
    this.#stream = new EventStream({
      onMessage: (message) => {
        this.#take("live", null);
        this.#tell({ kind: "message", message });
        onMessage(message);
      },
      onOpen: () => this.#status("live"),
      onFailure: (failures) => {
        if (failures < failuresBeforePolling) this.#status("reconnecting", 5_000);
        else {
          const kind = liveStatus.now().kind === "away" ? "away" : "polling";
          this.#status(kind, Math.min(lastPollMs, firstPollMs * 1.5 ** (failures - failuresBeforePolling)));
        }
      },
    });
    const name = `lockstep${basePath}`;
    this.#channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(name);
    this.#lock = new StreamLock(this.#channel === null ? null : name, () => this.#lead());
    this.#channel?.addEventListener("message", ({ data }: MessageEvent<TabMessage>) => this.#hear(data));
  }

  start(): void {
    document.addEventListener("visibilitychange", () => this.#look());
    addEventListener("pagehide", () => this.#end());
    addEventListener("pageshow", () => this.#look());
    this.#isHidden = document.visibilityState === "hidden";
    if (!this.#isHidden) this.#begin();
  }

  /** Until the function it gives back is called. */
  want(wish: LiveWish): () => void {
    const id = this.#nextWish++;
    this.#wishes.set(id, wish);
    this.#settle();
    return () => {
      this.#wishes.delete(id);
      this.#settle();
    };
  }

  pause(isPaused: boolean): void {
    if (this.#isPaused === isPaused) return;
    this.#isPaused = isPaused;
    if (isPaused) {
      this.#end();
      liveStatus.set("paused");
    } else {
      liveStatus.set("connecting");
      this.#begin();
      this.#onReturn();
    }
  }

  #look(): void {
    const isHidden = document.visibilityState === "hidden";
    if (isHidden === this.#isHidden) return;
    this.#isHidden = isHidden;
    if (isHidden) {
      this.#end();
    } else {
      this.#begin();
      if (!this.#isPaused) this.#onReturn();
    }
  }

  #begin(): void {
    if (this.#isPaused || this.#isHidden || this.#lock.isWanted) return;
    this.#lock.request();
    this.#settle();
  }

  #lead(): void {
    this.#isLeader = true;
    this.#tell({ kind: "who" });
    this.#settle();
  }

  #end(): void {
    this.#lock.leave();
    this.#isLeader = false;
    this.#others.clear();
    clearTimeout(this.#timer);
    this.#stream.close();
    this.#tell({ kind: "wish", tab: this.#id, wish: null });
  }

  /** Pages come and go in a moment: wait until it is over. */
  #settle(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#isPaused || this.#isHidden) return;
      if (!this.#isLeader) return this.#tell({ kind: "wish", tab: this.#id, wish: this.#ownWish() });
      const query = streamQuery([...this.#wishes.values(), ...this.#others.values()]);
      this.#stream.follow(query === null ? null : `${apiBase}/events${query}`);
    }, settleMs);
  }

  #ownWish(): LiveWish {
    const wishes = [...this.#wishes.values()];
    return {
      ...wishes.find((wish) => wish.topics.includes("list")),
      topics: wishes.flatMap((wish) => wish.topics),
      watch: wishes.flatMap((wish) => wish.watch ?? []),
    };
  }

  #hear(message: TabMessage): void {
    if (message.kind === "wish") {
      if (message.wish === null) this.#others.delete(message.tab);
      else this.#others.set(message.tab, message.wish);
      if (!this.#isLeader) return;
      this.#settle();
      // It may have come after the stream was opened, and nothing need happen for long.
      const { kind, pollMs } = liveStatus.now();
      if (message.wish !== null) this.#tell({ kind: "status", status: kind, pollMs });
    } else if (this.#isLeader || this.#isPaused || this.#isHidden) {
      // What the leader says is for those who follow.
    } else if (message.kind === "message") {
      this.#take("live", null);
      this.#onMessage(message.message);
    } else if (message.kind === "status") {
      this.#take(message.status, message.pollMs);
    } else {
      this.#settle();
    }
  }

  #status(status: LiveKind, pollMs: number | null = null): void {
    this.#take(status, pollMs);
    this.#tell({ kind: "status", status, pollMs });
  }

  /** What happened while the stream was cut is not sent again: all that is shown is read again. */
  #take(status: LiveKind, pollMs: number | null): void {
    const { kind } = liveStatus.now();
    if (status === "live") liveStatus.heard();
    else liveStatus.set(status, pollMs);
    if (status === "live" && ["reconnecting", "polling", "away"].includes(kind)) this.#onReturn();
  }

  #tell(message: TabMessage): void {
    this.#channel?.postMessage(message);
  }
}
