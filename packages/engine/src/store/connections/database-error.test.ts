import { noUsableHost, passwordFailed } from "@lockstep/database/connector";
import { describe, expect, test } from "vitest";
import {
  closedCode,
  codeOf,
  DatabaseUnavailableError,
  isRetriedWhole,
  isUnavailable,
  poolUnfitCode,
  RefusedError,
  refusalOf,
  SchemaMissingError,
} from "./database-error.ts";

function withCode(code: string, message = "as the driver says"): Error {
  return Object.assign(new Error(message), { code });
}

describe("each way of not being there has its sentence, and says whether waiting helps", () => {
  test.each<[string, RegExp, boolean]>([
    [
      "ECONNREFUSED",
      /nothing listens where databaseUrl or connection points\. Start it, or correct host and port\.$/,
      false,
    ],
    ["ENOTFOUND", /host is unknown: correct the host in databaseUrl/, false],
    ["EAI_AGAIN", /host is unknown/, false],
    ["28P01", /refuses this user: correct the user and password/, true],
    ["28000", /refuses this user/, true],
    ["3D000", /has no such database: create it, or correct the name/, true],
    ["42501", /a right it needs \(as the driver says\): grant it the role/, true],
    ["53300", /no connection left: raise max_connections/, false],
    ["25006", /read-only at the moment/, false],
    ["SELF_SIGNED_CERT_IN_CHAIN", /not trusted \(as the driver says, SELF_SIGNED.*add sslrootcert/, true],
    ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", /not trusted/, true],
    ["CERT_HAS_EXPIRED", /not trusted/, true],
    ["ERR_TLS_CERT_ALTNAME_INVALID", /a certificate for the host that is named there/, true],
    [noUsableHost, /^No host of PostgreSQL can be used at the moment \(as the driver says\): /, false],
    [passwordFailed, /password function of the connection has failed \(as the driver says\)/, false],
    [poolUnfitCode, /^as the driver says\.$/, true],
    ["57P01", /cannot be used at the moment \(as the driver says\); the engine keeps trying\.$/, false],
    ["", /cannot be used at the moment/, false],
    [closedCode, /This engine was stopped and has closed its connections/, true],
  ])("%s", (code, sentence, isFinal) => {
    const cause = withCode(code);
    const error = new DatabaseUnavailableError(cause);
    expect(error.message).toMatch(sentence);
    expect(error.isFinal).toBe(isFinal);
    expect(error.cause).toBe(cause);
    expect(isUnavailable(cause)).toBe(true);
  });
});

test.each([
  ["08P01", "unsupported startup parameter: statement_timeout"],
  ["26000", 'prepared statement "lockstep_get_job_0a1b2c3d" does not exist'],
  ["42P05", 'prepared statement "lockstep_get_job_0a1b2c3d" already exists'],
])("%s of a transaction pooler that the engine was not told of: it says what to set", (code, message) => {
  const cause = withCode(code, message);
  expect(isUnavailable(cause)).toBe(true);
  const error = new DatabaseUnavailableError(cause);
  expect(error.message).toContain(`(${message}): set transactionPooler: true`);
  expect(error.isFinal).toBe(true);
});

test.each([
  ["a connection that broke", withCode("ECONNRESET"), true],
  ["a driver's timeout, which has no code", new Error("Query read timeout"), true],
  ["a server that starts or stops", withCode("57P03"), true],
  ["a full disk", withCode("53100"), true],
  ["no memory", withCode("53200"), true],
  ["a statement that took too long, or was cancelled", withCode("57014"), true],
  ["a deadlock that stayed", withCode("40P01"), true],
  ["a lock that was not got", withCode("55P03"), true],
  ["a value that cannot be stored", withCode("22P05"), false],
  ["a broken promise of the schema", withCode("23514"), false],
  ["a function that does not exist", withCode("42883"), false],
  ["a refusal of ours", withCode("LS001"), false],
])("%s: whether the same call may succeed later", (_what, error, isLater) => {
  expect(isUnavailable(error)).toBe(isLater);
});

test("deadlocks, serialization failures and lock timeouts are sent again whole; nothing else is", () => {
  const codes = ["40P01", "40001", "55P03", "57014", "08006", "23505", "22P05", ""];
  expect(codes.filter((code) => isRetriedWhole(withCode(code)))).toEqual(["40P01", "40001", "55P03"]);
});

test("a code is read from anything", () => {
  expect([
    codeOf(withCode("X")),
    codeOf(null),
    codeOf(undefined),
    codeOf("text"),
    codeOf({ code: 7 }),
  ]).toEqual(["X", "", "", "", ""]);
});

test("a refusal has the database's sentence, its hint and its code", () => {
  const cause = Object.assign(withCode("LS002", 'There is no pipeline "x".'), { hint: "Define it." });
  expect(new RefusedError(cause)).toMatchObject({
    name: "RefusedError",
    message: 'There is no pipeline "x". Define it.',
    code: "LS002",
    cause,
  });
  expect(new RefusedError(withCode("LS001", "No.")).message).toBe("No.");
});

test("a text that PostgreSQL cannot store is refused in a sentence; what is nobody's input is not", () => {
  const unreadable = refusalOf(withCode("22021", 'invalid byte sequence for encoding "UTF8": 0x00'));
  expect(unreadable).toMatchObject({ code: "22021" });
  expect(unreadable?.message).toMatch(/cannot store a text that it was given .* Leave out NUL characters/);
  expect(refusalOf(withCode("LS003", "No."))?.code).toBe("LS003");
  expect(refusalOf(withCode("23514"))).toBeNull();
});

test("a schema that is not there, or too old, says what to run", () => {
  expect(new SchemaMissingError("lockstep", 0, 4).message).toMatch(
    /has no Lockstep schema yet: run `await engine.migrate\(\)` or `lockstep migrate` once\.$/,
  );
  expect(new SchemaMissingError("jobs", 0, 4).message).toMatch(
    /has no Lockstep schema in jobs yet: .* or `lockstep migrate --schema jobs` once\.$/,
  );
  expect(new SchemaMissingError("lockstep", 3, 4).message).toMatch(/version 3, but this code needs 4: run/);
});
