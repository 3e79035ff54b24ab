import type { Listener, Server } from "@lockstep/server";
import { startingAnswer } from "./starting-answer.ts";

/** What answers at the address of `lockstep dev` from the start, even before the server has a database. */
export class DevFront implements Listener {
  readonly isForLoopbackOnly = true;
  readonly mountPath = "";
  #server: Server | null = null;
  #isStopped = false;

  constructor() {
    this.fetch = this.fetch.bind(this);
  }

  async fetch(...[request, peer]: Parameters<Server["fetch"]>): Promise<Response> {
    return this.#server === null ? startingAnswer(request) : this.#server.fetch(request, peer);
  }

  /** From now on this server answers. */
  open(server: Server): void {
    this.#server = server;
    if (this.#isStopped) void server.stop();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#server?.stop();
  }
}
