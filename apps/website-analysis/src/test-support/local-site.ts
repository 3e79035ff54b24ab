import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { sitePages } from "./site-pages.ts";

/** A web site on loopback with pages of every kind, the bad ones above all. */
export interface LocalSite {
  readonly url: string;
  /** What the allow-list must hold for it to be read. */
  readonly host: string;
  /** How often a path was asked for. */
  hits(path: string): number;
  /** How many requests there were in all. */
  requests(): number;
  /** Puts a page at a path, also in place of another. */
  put(path: string, html: string): void;
  stop(): Promise<void>;
}

type Answer = (request: IncomingMessage, response: ServerResponse, hit: number) => void;

const html = { "content-type": "text/html; charset=utf-8" };
const mebibyte = 1_048_576;

const answers: Record<string, Answer> = {
  "/robots.txt": (_request, response) =>
    response
      .writeHead(200, { "content-type": "text/plain" })
      .end(
        "User-agent: *\nDisallow: /members/\n\nUser-agent: LockstepWebsiteAnalysis\nDisallow: /members/\n",
      ),
  "/plain": page(sitePages.bakery),
  "/shell": page(sitePages.shell),
  // No word about the charset in the header: the page itself declares it.
  "/latin": (_request, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end(Buffer.from(sitePages.french, "latin1")),
  "/japanese": (_request, response) =>
    response
      .writeHead(200, { "content-type": "text/html; charset=shift_jis" })
      .end(Buffer.from(sitePages.japaneseShiftJisBase64, "base64")),
  "/malformed": page(sitePages.malformed),
  "/nested": page(sitePages.nested),
  "/abyss": page(sitePages.abyss),
  "/injection": page(sitePages.injection),
  "/empty": page(""),
  "/moved": redirect("/plain"),
  "/loop": redirect("/loop"),
  "/inside": redirect("http://169.254.169.254/latest/meta-data/"),
  "/to-members": redirect("/members/list"),
  "/members/list": page(sitePages.bakery),
  "/huge": (_request, response) => {
    response.writeHead(200, html);
    response.end(Buffer.alloc(6 * mebibyte, "<p>and so on "));
  },
  "/bomb": (_request, response) =>
    response.writeHead(200, { ...html, "content-encoding": "gzip" }).end(bomb()),
  "/slow": (_request, response) => {
    response.writeHead(200, html).write("<title>Wait");
  },
  "/busy": (request, response, hit) => {
    if (hit > 1) page(sitePages.bakery)(request, response, hit);
    else response.writeHead(503, { "retry-after": "0" }).end();
  },
  "/paper.pdf": (_request, response) =>
    response.writeHead(200, { "content-type": "application/pdf" }).end("%PDF-1.7"),
};

let packed: Buffer | null = null;

/** 50 MiB of nothing. Packed when first asked for: it takes a while. */
function bomb(): Buffer {
  packed ??= gzipSync(Buffer.alloc(50 * mebibyte));
  return packed;
}

export async function startLocalSite(): Promise<LocalSite> {
  const hits = new Map<string, number>();
  const own = new Map<string, Answer>();
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://site").pathname;
    const hit = (hits.get(path) ?? 0) + 1;
    hits.set(path, hit);
    const answer = own.get(path) ?? answers[path];
    if (answer !== undefined) answer(request, response, hit);
    // As many more good pages as a test wants.
    else if (path.startsWith("/page/")) page(sitePages.short)(request, response, hit);
    else response.writeHead(404, html).end("<h1>Not here</h1>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}`,
    host,
    hits: (path) => hits.get(path) ?? 0,
    requests: () => [...hits.values()].reduce((sum, count) => sum + count, 0),
    put: (path, text) => void own.set(path, page(text)),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function page(text: string): Answer {
  return (_request, response) => void response.writeHead(200, html).end(text);
}

function redirect(location: string): Answer {
  return (_request, response) => void response.writeHead(302, { location }).end();
}
