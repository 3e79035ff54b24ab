import type { Caller } from "./access/caller.ts";

/** What a request carries through the middleware. */
export interface ServerEnv {
  Bindings: Peer;
  Variables: {
    requestId: string;
    /** Null: nobody that is known; the routes that need somebody refuse. */
    caller: Caller | null;
  };
}

/** The other end of the socket, where the server is told: Node's adapters hand over the message they got. */
export interface Peer {
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: string | undefined } };
}

export function addressOf(peer: Peer | undefined): string | null {
  return peer?.incoming?.socket?.remoteAddress ?? null;
}
