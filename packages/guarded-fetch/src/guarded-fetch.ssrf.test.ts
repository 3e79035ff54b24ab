import type { LookupAddress } from "node:dns";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buildConnector } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { AddressGuard } from "./address-guard.ts";
import { FetchError } from "./fetch-error.ts";
import type { OpenSocket } from "./guarded-connector.ts";
import { GuardedFetch } from "./guarded-fetch.ts";

const { signal } = new AbortController();
const types = ["text/html"];

/** A fetch whose sockets are counted, and opened only to a loopback server that the test itself has allowed. */
function countingFetch({
  allow = [],
  names = {},
}: {
  allow?: string[];
  names?: Record<string, string[][]>;
} = {}) {
  const opened: string[] = [];
  const resolved: string[] = [];
  const resolve = async (name: string): Promise<LookupAddress[]> => {
    resolved.push(name);
    const answers = names[name] ?? [];
    // Each question gets the next answer: a name server that rebinds.
    const addresses = answers.length > 1 ? (answers.shift() ?? []) : (answers[0] ?? []);
    return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  };
  const open: OpenSocket = (addresses, options, callback) => {
    opened.push(...addresses.map(({ address }) => address));
    if (allow.length === 0) callback(new Error("the test opens no socket"), null);
    else buildConnector({})(options, callback);
  };
  const fetch = new GuardedFetch({ guard: new AddressGuard({ allow, resolve }), userAgent: "test", open });
  onTestFinished(() => fetch.close());
  return { fetch, opened, resolved };
}

const literals = `
  http://127.0.0.1/ http://127.1/ http://127.0.1/ http://2130706433/ http://0x7f000001/ http://0x7f.1/ http://0X7F.0.0.1/
  http://017700000001/ http://0177.0.0.1/ http://127.0.0.1./ http://0/ http://0.0.0.0/ http://127.255.255.254/
  http://１２７.0.0.1/ http://127%2e0%2e0%2e1/ http://①②⑦.⓪.⓪.①/ http://127。0。0。1/
  http://10.0.0.1/ http://10.255.255.255/ http://167772161/ http://100.64.0.1/ http://100.127.255.254/
  http://168.63.129.16/machine?comp=goalstate http://2822734096/ http://100.100.100.200/ http://192.0.0.192/ http://169.254.170.2/
  http://192.31.196.1/ http://192.52.193.1/ http://192.175.48.1/ http://[2620:4f:8000::1]/ http://[3fff:fff::1]/
  http://169.254.169.254/latest/meta-data/ http://2852039166/ http://0xa9fea9fe/ http://0251.0376.0251.0376/
  http://172.16.0.1/ http://172.31.255.255/ http://192.0.0.1/ http://192.0.2.1/ http://192.88.99.1/ http://192.168.1.1/
  http://0xc0.0xa8.1.1/ http://198.18.0.1/ http://198.19.255.255/ http://198.51.100.1/ http://203.0.113.1/ http://224.0.0.1/
  http://240.0.0.1/ http://255.255.255.255/
  http://[::]/ http://[::1]/ http://[0:0:0:0:0:0:0:1]/ http://[::ffff:127.0.0.1]/ http://[::ffff:7f00:1]/ http://[::127.0.0.1]/
  http://[::ffff:169.254.169.254]/ http://[::ffff:0:127.0.0.1]/ http://[64:ff9b::7f00:1]/ http://[64:ff9b:1::1]/ http://[100::1]/
  http://[2001::1]/ http://[2001:db8::1]/ http://[2002:7f00:1::]/ http://[3fff::1]/ http://[fc00::1]/ http://[fd00:ec2::254]/
  http://[fe80::1]/ http://[fec0::1]/ http://[ff02::1]/ http://[4000::1]/
  http://localhost/ http://LOCALHOST/ http://localhost./ http://a.localhost/ http://printer.local/ http://metadata.google.internal/
  https://127.0.0.1/ https://[::1]/ http://127.0.0.1:443/`
  .trim()
  .split(/\s+/);

test.each(literals)("%s is refused, without a name being asked or a socket opened", async (url) => {
  const { fetch, opened, resolved } = countingFetch();
  await expect(fetch.get(url, { signal, types })).rejects.toMatchObject({ kind: "address", isFinal: true });
  expect([opened, resolved]).toEqual([[], []]);
});

test.each([
  "ftp://example.org/",
  "file:///etc/passwd",
  "gopher://example.org/",
  "data:text/html,hello",
  "javascript:alert(1)",
  "http://user@example.org/",
  "http://user:secret@example.org/",
  "http://example.org:22/",
  "http://example.org:6379/",
  "https://example.org:8443/",
  "http://",
  "http://[fe80::1%25eth0]/",
  "no address at all",
])("%s is refused by its form", async (url) => {
  const { fetch, opened, resolved } = countingFetch();
  const refusal = await fetch.get(url, { signal, types }).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ kind: /:\d+\/$/.test(url) ? "port" : "url", isFinal: true });
  expect((refusal as Error).message).not.toContain("secret");
  expect([opened, resolved]).toEqual([[], []]);
});

test.each([
  ["a private address", ["10.0.0.7"]],
  ["loopback", ["127.0.0.1"]],
  ["loopback inside IPv6", ["::ffff:127.0.0.1"]],
  ["a public address and a private one", ["93.184.216.34", "192.168.0.1"]],
  ["a public IPv4 and a link-local IPv6", ["93.184.216.34", "fe80::1"]],
])("a name that resolves to %s is refused without a socket being opened", async (_what, addresses) => {
  const { fetch, opened } = countingFetch({ names: { "shop.example": [addresses] } });
  await expect(fetch.get("http://shop.example/", { signal, types })).rejects.toMatchObject({
    kind: "address",
  });
  expect(opened).toEqual([]);
});

test("a name in another script is asked for in the form that the resolver knows, and vetted like any other", async () => {
  const { fetch, opened, resolved } = countingFetch({ names: { "xn--bcher-kva.example": [["127.0.0.1"]] } });
  await expect(fetch.get("http://bücher.example/", { signal, types })).rejects.toMatchObject({
    kind: "address",
  });
  expect([opened, resolved]).toEqual([[], ["xn--bcher-kva.example"]]);
});

test("a name that turns from public to private between two questions is connected to by its first answer only", async () => {
  const { fetch, opened, resolved } = countingFetch({
    names: { "rebinding.example": [["93.184.216.34"], ["127.0.0.1"]] },
  });
  const read = () => fetch.get("http://rebinding.example/", { signal, types });
  await expect(read()).rejects.toMatchObject({ kind: "network" });
  expect([opened, resolved]).toEqual([["93.184.216.34"], ["rebinding.example"]]);
  await expect(read()).rejects.toMatchObject({ kind: "address" });
  expect(opened).toEqual(["93.184.216.34"]);
});

test.each([
  "http://169.254.169.254/latest/meta-data/",
  "http://0x7f.1/",
  "http://[::ffff:127.0.0.1]/",
  "//2130706433/",
  "http://inside.example/",
  "http://user:pass@example.org/",
  "file:///etc/passwd",
  "ftp://example.org/",
])("a redirect to %s is refused, and only the first server is spoken to", async (location) => {
  let hits = 0;
  const server = createServer((_request, response) => {
    hits += 1;
    response.writeHead(302, { location }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { fetch, opened } = countingFetch({
    allow: [`127.0.0.1:${port}`],
    names: { "inside.example": [["10.0.0.1"]] },
  });
  const refusal = await fetch.get(`http://127.0.0.1:${port}/`, { signal, types }).catch((error) => error);
  expect(refusal).toBeInstanceOf(FetchError);
  expect(["address", "url"]).toContain(refusal.kind);
  expect([hits, opened]).toEqual([1, ["127.0.0.1"]]);
});

test("an allowed address is read, and its neighbour and its other ports are not", async () => {
  const guard = new AddressGuard({ allow: ["127.0.0.1:8080", "10.1.0.0/16", "[::1]:3000", "Wiki.example"] });
  const isRefused = (url: string) => {
    try {
      guard.checkUrl(new URL(url));
      return false;
    } catch {
      return true;
    }
  };
  const judged = `http://127.0.0.1:8080/ http://2130706433:8080/ http://10.1.2.3:9000/ http://[::1]:3000/ http://wiki.example:81/
    http://127.0.0.1/ http://127.0.0.1:8081/ http://127.0.0.2:8080/ http://10.2.0.1/ http://[::1]/ http://a.wiki.example:81/`;
  expect(judged.split(/\s+/).map(isRefused)).toEqual([
    ...Array.from({ length: 5 }, () => false),
    ...Array.from({ length: 6 }, () => true),
  ]);
});

test.each(["", "http://a", "10.0.0.0/33", "a:b", "1.2.3", "host:99999", "[::1"])(
  "the allow-list refuses the entry %j with a sentence",
  (entry) => {
    expect(() => new AddressGuard({ allow: [entry] })).toThrow("is not an entry of an allow-list");
  },
);
