import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";

const db = testDatabase();

const fingerprint = (message: unknown, { stage = 1, name = "Error" } = {}) =>
  db.value<string>("error_fingerprint", { p_stage_id: stage, p_error: { name, message } });

test.each([
  ["connect ECONNREFUSED 10.0.0.1:5432", "connect ECONNREFUSED 192.168.7.20:80"],
  ["timed out after 3000 ms", "timed out after 12.5 ms"],
  ['user "ada" is unknown', 'user "grace hopper" is unknown'],
  ["user 'ada' isn't there", "user 'bob' isn't there"],
  ["no job 0190a000-0000-7000-8000-000000000001", "no job 7D7C7A4E-0000-4000-8000-0000000000FF"],
  ["GET https://a.example/x?y=1 gave 500", "GET http://b.example:8080/ gave 502"],
  ["bounced: ada@example.com", "bounced: grace.hopper+x@mail.example"],
  ["commit 3be015e9 is gone", "commit 0xdeadbeef is gone"],
])("%j and %j are of one kind", async (one, other) => {
  expect(await fingerprint(one)).toBe(await fingerprint(other));
  expect(await fingerprint(one)).toMatch(/^[0-9a-f]{16}$/);
});

test.each([
  ["no ink", "no paper"],
  ["facade missing", "decade missing"],
  ["can't read", "can't write"],
])("%j and %j are of two kinds", async (one, other) => {
  expect(await fingerprint(one)).not.toBe(await fingerprint(other));
});

test("what caused it, and its stack, are no part of it: it stays what it was for errors of before", async () => {
  const cause = { name: "Error", message: "tray 1" };
  const p_error = { name: "Error", message: "no ink", stack: "at a", cause, errors: [cause] };
  expect(await db.value("error_fingerprint", { p_stage_id: 1, p_error })).toBe("80414784e7c6ed96");
  expect(await fingerprint("no ink")).toBe("80414784e7c6ed96");
});

test("another stage, or another name, is another kind", async () => {
  const plain = await fingerprint("no ink");
  expect(await fingerprint("no ink", { stage: 2 })).not.toBe(plain);
  expect(await fingerprint("no ink", { name: "PrinterError" })).not.toBe(plain);
});

test.each([[null], [""], [7], [{ a: 1 }], ["x".repeat(100_000)]])(
  "%j for a message has one too",
  async (message) => {
    expect(await fingerprint(message)).toMatch(/^[0-9a-f]{16}$/);
  },
);
