import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface RegisterServer {
  readonly url: string;
  readonly documents: Map<string, { name: string; bytes: Uint8Array }>;
  /** What it was asked for, in order. */
  readonly asked: string[];
  /** As a register does after a while, or when it is started again. */
  endSessions(): void;
  stop(): Promise<void>;
}

/** A register on this machine: a form to sign in with, a session in a cookie, a list and documents. */
export async function startRegister({
  user,
  password,
}: {
  user: string;
  password: string;
}): Promise<RegisterServer> {
  const documents: RegisterServer["documents"] = new Map();
  const sessions = new Set<string>();
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const { method = "GET", url = "/" } = request;
    asked.push(`${method} ${url}`);
    if (method === "POST" && url === "/portal/login") {
      const body = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
      if (body.get("user") !== user || body.get("password") !== password)
        return response.writeHead(401).end();
      const session = randomUUID();
      sessions.add(session);
      const cookie = [`sid=${session}; Path=/; HttpOnly`, "theme=dark"];
      return response.writeHead(302, { "set-cookie": cookie, location: "/portal/" }).end();
    }
    const session = /(?:^|; )sid=([^;]+)/.exec(request.headers.cookie ?? "")?.[1] ?? "";
    // As portals do: whoever is not signed in is sent to the form.
    if (!sessions.has(session)) return response.writeHead(302, { location: "/portal/login" }).end();
    if (url === "/portal/documents") {
      const list = [...documents].map(([id, { name }]) => ({ id, name }));
      return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(list));
    }
    const found = documents.get(decodeURIComponent(/^\/portal\/documents\/(.+)$/.exec(url)?.[1] ?? ""));
    if (found === undefined) return response.writeHead(404).end();
    return response.writeHead(200, { "content-type": "application/pdf" }).end(found.bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/portal`,
    documents,
    asked,
    endSessions: () => sessions.clear(),
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
