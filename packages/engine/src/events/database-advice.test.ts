import { expect, test } from "vitest";
import { databaseAdvice } from "./database-advice.ts";

test.each<[string, string, RegExp]>([
  [
    "connect ECONNREFUSED 127.0.0.1:5432",
    "ECONNREFUSED",
    /start PostgreSQL, or correct host and port in databaseUrl or connection/,
  ],
  ["password authentication failed", "28P01", /correct user and password in databaseUrl or connection/],
  ['database "x" does not exist', "3D000", /create the database, or correct its name/],
  ["function lockstep.claim does not exist", "42883", /with migrate/],
  [
    "cannot execute INSERT",
    "25006",
    /wait if this server .* or let databaseUrl or connection lead to the primary/,
  ],
  ["something else", "XX000", /check that PostgreSQL runs and that databaseUrl or connection is right/],
  ["something else", "toString", /check that PostgreSQL runs/],
])("an outage by %j (%s) is told in one sentence that says what to do", (message, code, advice) => {
  const sentence = databaseAdvice(Object.assign(new Error(message), { code }));
  expect(sentence).toMatch(advice);
  expect(sentence).toContain(`(${message})`);
  expect(sentence).toMatch(/^The database cannot be used \(.*; the engine keeps trying by itself\.$/);
});

test("an outage without a message is told by its code", () => {
  const refused = Object.assign(new AggregateError([]), { code: "ECONNREFUSED" });
  expect(databaseAdvice(refused)).toContain("(ECONNREFUSED)");
});

test("a password in the message is not repeated", () => {
  expect(databaseAdvice(new Error("bad url postgres://me:s3cret@db/app"))).not.toContain("s3cret");
});
