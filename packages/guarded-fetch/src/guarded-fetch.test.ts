import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { AddressGuard } from "./address-guard.ts";
import { type FetchLimits, GuardedFetch } from "./guarded-fetch.ts";

const never = new AbortController().signal;

async function serve(listener: RequestListener, limits: Partial<FetchLimits> = {}) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const guard = new AddressGuard({ allow: [`127.0.0.1:${port}`] });
  const fetch = new GuardedFetch({ guard, userAgent: "test/1.0", limits });
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await fetch.close();
  });
  const get = (path = "/", signal = never, beforeHop?: (url: URL) => Promise<void>) =>
    fetch.get(`http://127.0.0.1:${port}${path}`, { signal, types: ["text/html"], beforeHop });
  return { get, fetch, url: `http://127.0.0.1:${port}` };
}
const html = { "content-type": "text/html" };

test.each([
  ["gzip", gzipSync],
  ["br", brotliCompressSync],
  ["deflate", deflateSync],
  ["identity", (text: string) => Buffer.from(text)],
] as const)("an answer in %s comes back decoded", async (encoding, encode) => {
  const { get } = await serve((_request, response) => {
    response.writeHead(200, { ...html, "content-encoding": encoding }).end(encode("<p>héllo</p>"));
  });
  const { body, status } = await get();
  expect([body.toString("utf8"), status]).toEqual(["<p>héllo</p>", 200]);
});

test("redirects are followed, each is named, and each is asked about before it is taken", async () => {
  const { get, url } = await serve((request, response) => {
    const next = { "/": "/one", "/one": "two#part" }[request.url ?? ""];
    if (next === undefined) response.writeHead(200, html).end("there");
    else response.writeHead(301, { location: next }).end();
  });
  const asked: string[] = [];
  const answer = await get("/", never, async ({ pathname }) => void asked.push(pathname));
  expect(answer.url.href).toBe(`${url}/two`);
  expect(answer.redirects).toEqual([`${url}/one`, `${url}/two`]);
  expect(asked).toEqual(["/", "/one", "/two"]);
});

test("a loop of redirects ends after five", async () => {
  let hits = 0;
  const { get } = await serve((_request, response) => {
    hits += 1;
    response.writeHead(302, { location: `/${hits}` }).end("again");
  });
  await expect(get()).rejects.toMatchObject({ kind: "redirects", isFinal: true });
  expect(hits).toBe(6);
});

test("an address that is too long is refused, the first one as well as a redirect's, before anybody looks at it", async () => {
  const fitting = `/${"a".repeat(79)}`;
  const hits: string[] = [];
  const { get, url } = await serve(
    (request, response) => {
      hits.push(request.url ?? "");
      const next = { "/": `/${"a".repeat(80)}`, "/fits": fitting }[request.url ?? ""];
      if (next === undefined) response.writeHead(200, html).end("there");
      else response.writeHead(302, { location: next }).end();
    },
    { maxUrlLength: "http://127.0.0.1:00000".length + fitting.length },
  );
  expect(url).toHaveLength("http://127.0.0.1:00000".length);
  const asked: string[] = [];
  const ask = async ({ pathname }: URL) => void asked.push(pathname);

  await expect(get(`/${"b".repeat(80)}`, never, ask)).rejects.toMatchObject({
    kind: "url",
    isFinal: true,
    message: "The address is not read: it has 103 characters, and at most 102 are allowed.",
  });
  expect([hits, asked]).toEqual([[], []]);

  await expect(get("/", never, ask)).rejects.toMatchObject({ kind: "url", isFinal: true });
  expect(await get("/fits", never, ask)).toMatchObject({ status: 200 });
  expect([hits, asked]).toEqual([
    ["/", "/fits", fitting],
    ["/", "/fits", fitting],
  ]);
});

test("an answer that is larger than allowed is not read to its end", async () => {
  const { get } = await serve((_request, response) => {
    response.writeHead(200, html);
    const write = () => {
      while (response.write("x".repeat(65_536)));
    };
    response.on("drain", write);
    write();
  });
  await expect(get()).rejects.toMatchObject({ kind: "size", isFinal: true });
});

test("who takes the body piece by piece gets it decoded and counted, and it is not held", async () => {
  const sent = "x".repeat(300_000);
  const { fetch, url } = await serve(
    (request, response) => {
      const body = request.url === "/short" ? sent : sent + sent;
      response.writeHead(200, { ...html, "content-encoding": "gzip" }).end(gzipSync(body));
    },
    { maxBytes: 400_000 },
  );
  const pieces: Buffer[] = [];
  const options = {
    signal: never,
    types: ["text/html"],
    onChunk: async (chunk: Buffer) => void pieces.push(chunk),
  };
  expect((await fetch.get(`${url}/short`, options)).body).toHaveLength(0);
  expect(Buffer.concat(pieces).toString()).toBe(sent);
  expect(pieces.length).toBeGreaterThan(1);
  pieces.length = 0;
  await expect(fetch.get(`${url}/long`, options)).rejects.toMatchObject({ kind: "size" });
  expect(Buffer.concat(pieces).length).toBeLessThanOrEqual(400_000);
  const refusal = new Error("not mine");
  const refusing = { ...options, onChunk: () => Promise.reject(refusal) };
  await expect(fetch.get(`${url}/short`, refusing)).rejects.toBe(refusal);
});

test("an endless gzip bomb is stopped by what it unpacks to", async () => {
  const { get } = await serve(
    (_request, response) => {
      response.writeHead(200, { ...html, "content-encoding": "gzip" });
      const gzip = createGzip({ level: 9 });
      gzip.pipe(response);
      const zeros = Buffer.alloc(1_048_576);
      const write = () => {
        while (!response.destroyed && gzip.write(zeros));
      };
      gzip.on("drain", write);
      response.on("close", () => gzip.destroy());
      write();
    },
    { maxBytes: 1_073_741_824 },
  );
  await expect(get()).rejects.toThrow("unpacks to more than 100 times its size");
});

test("what is not in the encoding it claims is refused, and what is cut off may be tried again", async () => {
  const whole = gzipSync("<p>whole</p>".repeat(50));
  const { get } = await serve((request, response) => {
    const encoding = request.url === "/layers" ? "gzip, gzip" : "gzip";
    response.writeHead(200, { ...html, "content-encoding": encoding });
    response.end(request.url === "/cut" ? whole.subarray(0, whole.length - 12) : "plain text");
  });
  await expect(get("/plain")).rejects.toMatchObject({ kind: "encoding", isFinal: true });
  await expect(get("/layers")).rejects.toMatchObject({ kind: "encoding", isFinal: true });
  await expect(get("/cut")).rejects.toMatchObject({ kind: "encoding", isFinal: false });
});

test("a server that drips is left when the time is over, and may be tried again", async () => {
  const { get } = await serve(
    (_request, response) => {
      response.writeHead(200, html);
      const drip = setInterval(() => response.write("."), 20);
      response.on("close", () => clearInterval(drip));
    },
    { totalMs: 200 },
  );
  await expect(get()).rejects.toMatchObject({ kind: "timeout", isFinal: false });
});

test("other content, too many headers and a closed port are told apart", async () => {
  const { get, url } = await serve((request, response) => {
    if (request.url === "/pdf") response.writeHead(200, { "content-type": "application/pdf" }).end("%PDF-");
    else response.writeHead(200, { ...html, big: "x".repeat(70_000) }).end();
  });
  await expect(get("/pdf")).rejects.toMatchObject({ kind: "type", isFinal: true });
  await expect(get("/headers")).rejects.toMatchObject({ kind: "headers", isFinal: true });
  const closed = new GuardedFetch({ guard: new AddressGuard({ allow: ["127.0.0.1"] }), userAgent: "test" });
  onTestFinished(() => closed.close());
  await expect(
    closed.get(new URL(url.replace(/:\d+$/, ":1")), { signal: never, types: [] }),
  ).rejects.toMatchObject({ kind: "network", isFinal: false });
});

// undici's own timers go by half seconds and may be early by as much, when another one has begun the half second.
test("of two readings a moment apart each has its whole time", async () => {
  const totalMs = 1_490;
  const { get } = await serve((_request, response) => void response.writeHead(200, html).write("<p>"), {
    totalMs,
  });
  const timedOut = async () => {
    await expect(get()).rejects.toThrow(`was not read to the end within ${totalMs} ms`);
  };
  const first = timedOut();
  await new Promise((resolve) => setTimeout(resolve, 300));
  await Promise.all([first, timedOut()]);
});

test("an aborted signal ends the reading with its own reason", async () => {
  const { get } = await serve(() => {});
  const stop = new AbortController();
  const reading = get("/", stop.signal);
  stop.abort(new Error("cancelled by a person"));
  await expect(reading).rejects.toThrow("cancelled by a person");
});

test("a status that is no success comes back without its body", async () => {
  const { get } = await serve((_request, response) => {
    response.writeHead(429, { ...html, "retry-after": "7" }).end("later");
  });
  expect(await get()).toMatchObject({ status: 429, headers: { "retry-after": "7" }, body: Buffer.alloc(0) });
});
