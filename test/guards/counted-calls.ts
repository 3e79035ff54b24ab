import { relayTo } from "@lockstep/test-support";

/** A port before PostgreSQL that counts what is sent and waited for, once a connection is made. */
export interface CountedCalls {
  readonly url: string;
  /** The texts of the calls so far, each of which is a round trip, on all connections in the order they were sent. */
  readonly texts: string[];
  readonly connections: number;
}

export async function countCalls(databaseUrl: string): Promise<CountedCalls> {
  const texts: string[] = [];
  let connections = 0;
  const url = await relayTo(databaseUrl, (client) => {
    connections += 1;
    client.on(
      "data",
      callReader((text) => texts.push(text)),
    );
  });
  return {
    url,
    texts,
    get connections() {
      return connections;
    },
  };
}

/** Reads what a client sends: after the first message, which has no type, each begins with its type and its length. */
function callReader(onCall: (text: string) => void): (chunk: Buffer) => void {
  let unread = Buffer.alloc(0);
  let isGreeted = false;
  let text = "";
  return (chunk) => {
    unread = Buffer.concat([unread, chunk]);
    for (;;) {
      const typeBytes = isGreeted ? 1 : 0;
      if (unread.length < typeBytes + 4) return;
      const end = typeBytes + unread.readUInt32BE(typeBytes);
      if (unread.length < end) return;
      const type = isGreeted ? String.fromCharCode(unread[0] ?? 0) : "greeting";
      const body = unread.subarray(typeBytes + 4, end).toString("latin1");
      // Parse: the name of the statement, then its text. Sync: the client waits for the answer. Query: both in one.
      if (type === "P") text = body.split("\0")[1] ?? "";
      if (type === "S") onCall(text);
      if (type === "Q") onCall(body.split("\0")[0] ?? "");
      if (type === "S") text = "";
      isGreeted = true;
      unread = unread.subarray(end);
    }
  };
}
