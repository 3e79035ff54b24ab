import { expect, test } from "vitest";
import { readEntriesConfig } from "./entries-config.ts";
import { refuseStrangers } from "./refuse-strangers.ts";

const { hosts } = readEntriesConfig({
  DATABASE_URL: "postgres://x",
  ENTRIES_HOSTS: "Entries.example, two.example",
});

function answerTo(method: string, headers: Record<string, string>, known: readonly string[] = hosts) {
  // Next names the machine it listens on in the address, whatever the request said.
  const request = new Request("http://localhost:3000/api/entries", { method, headers });
  return refuseStrangers(request, known)?.status ?? null;
}

test.each([
  ["this machine", "localhost:3000", null],
  ["this machine by its address", "127.0.0.1:3000", null],
  ["this machine by its other address", "[::1]:3000", null],
  ["a name it was given", "entries.example", null],
  ["another name it was given, with a port", "two.example:8080", null],
  ["a name that leads here (DNS rebinding)", "evil.example:3000", 421],
  ["a name that only looks like it", "localhost.evil.example", 421],
  ["another address", "192.0.2.7:3000", 421],
  ["nothing", "", 421],
])("%s is served as it should be", (_name, host, status) => {
  for (const method of ["GET", "POST"]) expect(answerTo(method, { host })).toBe(status);
});

test("behind a proxy that has checked the name, any is taken", () => {
  expect(answerTo("GET", { host: "anything.example" }, ["*"])).toBeNull();
});

const host = "127.0.0.1:3000";
test.each([
  ["a program", {}, null],
  ["a page of its own", { origin: "http://127.0.0.1:3000", "sec-fetch-site": "same-origin" }, null],
  ["a page of another site", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }, 403],
  ["a page of another site in an old browser", { origin: "https://evil.example" }, 403],
  ["a page on another port of this machine", { origin: "http://127.0.0.1:8080" }, 403],
  ["a page without an origin", { origin: "null" }, 403],
  ["a page of another site that hides its origin", { "sec-fetch-site": "cross-site" }, 403],
])("%s may write, or not", (_who, headers, status) => {
  expect(answerTo("POST", { host, ...headers })).toBe(status);
  expect(answerTo("GET", { host, ...headers })).toBeNull();
});
