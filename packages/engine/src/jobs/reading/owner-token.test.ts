import { describe, expect, test } from "vitest";
import { OwnerTokenError, OwnerTokens } from "./owner-token.ts";

const [oldSecret, newSecret] = ["o".repeat(32), "n".repeat(32)];
const tokens = new OwnerTokens([newSecret]);
const noonMs = Date.parse("2026-01-01T12:00:00Z");

describe("a token", () => {
  test("speaks for its owner until its time is over", () => {
    const token = tokens.sign("ada", { expiresInMs: 1_000 }, noonMs);
    expect(token).toMatch(/^ls1\./);
    expect(tokens.ownerOf(token, noonMs)).toBe("ada");
    expect(tokens.ownerOf(token, noonMs + 999)).toBe("ada");
    expect(() => tokens.ownerOf(token, noonMs + 1_000)).toThrow("This token has expired: ask for a new one.");
  });

  test.each(["Grace Hopper", 'a"b\\c', "Ωmega ✓", "x".repeat(255)])(
    "keeps the owner %s as it is",
    (owner) => {
      expect(tokens.ownerOf(tokens.sign(owner, { expiresInMs: 1_000 }, noonMs), noonMs)).toBe(owner);
    },
  );

  test("of another secret is refused", () => {
    const foreign = new OwnerTokens([oldSecret]).sign("ada", { expiresInMs: 1_000 }, noonMs);
    expect(() => tokens.ownerOf(foreign, noonMs)).toThrow(/was not made here, or it has been changed/);
  });

  test("with any character changed is refused", () => {
    const token = tokens.sign("ada", { expiresInMs: 1_000 }, noonMs);
    for (let index = 0; index < token.length - 1; index += 1) {
      const changed = `${token.slice(0, index)}${token[index] === "A" ? "B" : "A"}${token.slice(index + 1)}`;
      expect(() => tokens.ownerOf(changed, noonMs), changed).toThrow(OwnerTokenError);
    }
  });

  test("whose owner or end was written anew under the old signature is refused", () => {
    const [, , signed] = tokens.sign("ada", { expiresInMs: 1_000 }, noonMs).split(".");
    const forged = Buffer.from(JSON.stringify(["bob", noonMs + 1e9])).toString("base64url");
    expect(() => tokens.ownerOf(`ls1.${forged}.${signed}`, noonMs)).toThrow(OwnerTokenError);
  });

  test.each(["", "ls1", "ls1..", "ls2.YQ.YQ", `ls1.W10.${"A".repeat(43)}`, "x".repeat(10_000), undefined, 7])(
    "that is none (%s) is refused with a sentence",
    (token) => {
      expect(() => tokens.ownerOf(token as string, noonMs)).toThrow(OwnerTokenError);
    },
  );
});

describe("a token for one job", () => {
  const jobId = "0192a71c-0000-7000-8000-000000000000";

  test("opens that job until its time is over, and speaks for no owner", () => {
    const token = tokens.signForJob(jobId, { expiresInMs: 1_000 }, noonMs);
    const expiresAt = new Date(noonMs + 1_000);
    expect(tokens.scopeOf(token, noonMs)).toEqual({ owner: null, jobId, expiresAt, signals: [] });
    expect(() => tokens.scopeOf(token, noonMs + 1_000)).toThrow("This token has expired: ask for a new one.");
    expect(() => tokens.ownerOf(token, noonMs)).toThrow(/opens one job, and speaks for no owner/);
    expect(tokens.scopeOf(tokens.sign("ada", { expiresInMs: 1_000 }, noonMs), noonMs)).toMatchObject({
      owner: "ada",
      jobId: null,
    });
  });

  test("is refused when it is turned into one of an owner, and the other way round", () => {
    const ofJob = tokens.signForJob(jobId, { expiresInMs: 1_000 }, noonMs);
    const ofOwner = tokens.sign(jobId, { expiresInMs: 1_000 }, noonMs);
    for (const forged of [ofJob.replace("lj1.", "ls1."), ofOwner.replace("ls1.", "lj1.")]) {
      expect(() => tokens.scopeOf(forged, noonMs)).toThrow(OwnerTokenError);
    }
  });
});

describe("secrets", () => {
  test("may be changed: the first signs, the older ones are still accepted", () => {
    const before = new OwnerTokens([oldSecret]).sign("ada", { expiresInMs: 1_000 }, noonMs);
    const both = new OwnerTokens([newSecret, oldSecret]);
    expect(both.ownerOf(before, noonMs)).toBe("ada");
    expect(tokens.ownerOf(both.sign("ada", { expiresInMs: 1_000 }, noonMs), noonMs)).toBe("ada");
  });

  test("are needed, and a sentence says so", () => {
    const none = new OwnerTokens([]);
    expect(() => none.sign("ada", { expiresInMs: 1_000 }, noonMs)).toThrow(/need the setting tokenSecret/);
    expect(() => none.ownerOf("ls1.a.b", noonMs)).toThrow(/need the setting tokenSecret/);
  });
});

test.each([
  ["", 1_000],
  ["x".repeat(256), 1_000],
  [undefined, 1_000],
  ["ada", 0],
  ["ada", 1.5],
  ["ada", Number.POSITIVE_INFINITY],
  ["ada", undefined],
])("no token is made for the owner %s and %s ms", (owner, expiresInMs) => {
  const options = { expiresInMs: expiresInMs as number };
  expect(() => tokens.sign(owner as string, options, noonMs)).toThrow(OwnerTokenError);
});

describe("what a token may signal", () => {
  const scopeWith = (signals: unknown) =>
    tokens.scopeOf(tokens.sign("ada", { expiresInMs: 1_000, signals: signals as string[] }, noonMs), noonMs);

  test("is what it was made for, and nothing unless it was", () => {
    expect(scopeWith(["phone", "address"]).signals).toEqual(["phone", "address"]);
    expect(scopeWith(undefined).signals).toEqual([]);
  });

  test.each([["phone"], [["a name with spaces"]], [[""]], [[7]], [Array(21).fill("phone")]])(
    "cannot be %j",
    (signals) => {
      const given = Array.isArray(signals) ? signals : "phone";
      expect(() => scopeWith(given)).toThrow(/must be a list of at most 20 names of waits/);
    },
  );
});
