import type { ClientClock } from "./client-clock.ts";

/** The bytes of an answer as they come. Throws when nothing comes for too long, as where the network went away. */
export async function* readChunks(
  body: ReadableStream<Uint8Array>,
  clock: ClientClock,
  silenceMs: { readonly first: number; readonly later: number },
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader();
  let mostMs = silenceMs.first;
  try {
    for (;;) {
      const heard = new AbortController();
      const read = reader.read().finally(() => heard.abort());
      // It may fail while nobody waits for it any more.
      read.catch(() => undefined);
      await Promise.race([read.catch(() => undefined), clock.sleep(mostMs, heard.signal)]);
      if (!heard.signal.aborted) throw new Error(`The server has said nothing for ${mostMs / 1_000} s.`);
      const { value, done } = await read;
      if (done) return;
      mostMs = silenceMs.later;
      yield value;
    }
  } finally {
    // Also when the reader of these chunks has left: the connection is let go.
    await reader.cancel().catch(() => undefined);
  }
}
