import type { Clock } from "lockstep";
import type { ServerConfig } from "./config/server-settings.ts";
import type { Peer } from "./server-env.ts";

export interface ServerParts {
  readonly config: Pick<ServerConfig, "access" | "stopGraceMs" | "clock" | "mountPath">;
  readonly answer: (request: Request, peer: Peer) => Promise<Response>;
  readonly beginStop: () => void;
  readonly endStop: () => Promise<void>;
}

/** Answers requests until it is stopped. */
export class Server {
  /** Whoever reaches it may do everything: it must not be reached from elsewhere. */
  readonly isForLoopbackOnly: boolean;
  readonly mountPath: string;
  readonly #parts: ServerParts;
  readonly #clock: Clock;
  #underWay = 0;
  #whenIdle: (() => void) | null = null;
  #stopped: Promise<void> | null = null;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    this.#clock = parts.config.clock;
    this.isForLoopbackOnly = parts.config.access === "loopback";
    this.mountPath = parts.config.mountPath;
    // So that it can be handed on as it is: app.mount("/ops", server.fetch).
    this.fetch = this.fetch.bind(this);
  }

  /**
   * `peer` is what Node's adapters hand over beside the request; with it the server knows the caller's address. Without
   * one, access "loopback" serves nobody.
   */
  async fetch(request: Request, peer: Peer = {}): Promise<Response> {
    if (this.#stopped !== null) return stoppedAnswer();
    this.#underWay += 1;
    try {
      return await this.#parts.answer(request, peer);
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#whenIdle?.();
    }
  }

  /** Ends streams and waits, gives requests that are under way `stopGraceMs`, and closes its connections. May be called twice. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#parts.beginStop();
    if (this.#underWay > 0) {
      const idle = new AbortController();
      this.#whenIdle = () => idle.abort();
      await this.#clock.sleep(this.#parts.config.stopGraceMs, idle.signal);
    }
    await this.#parts.endStop();
  }
}

function stoppedAnswer(): Response {
  const problem = {
    type: "urn:lockstep:problem:server.stopping",
    title: "The server is stopping",
    status: 503,
    detail: "This server is stopping: send the request again, to another one.",
    code: "server.stopping",
  };
  return new Response(JSON.stringify(problem), {
    status: 503,
    headers: { "Content-Type": "application/problem+json", "Retry-After": "5", Connection: "close" },
  });
}
