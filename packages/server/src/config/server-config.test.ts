import { ConfigError, createEngine } from "lockstep";
import { describe, expect, test } from "vitest";
import { readServerConfig, type ServerOptions } from "./server-config.ts";

// It connects to nothing until something is asked of it.
const engine = createEngine({ databaseUrl: "postgres://nobody@127.0.0.1:1/none", logger: null });
const token = "a-token-that-is-long-enough";

function complaintAbout(options: object): string {
  try {
    readServerConfig({ engine, access: "loopback", ...options } as ServerOptions);
    return "";
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
}

test("the engine and the access are all it needs", () => {
  expect(readServerConfig({ engine, access: "loopback" })).toMatchObject({
    links: [],
    mountPath: "",
    hosts: [],
    bodyLimitBytes: 1_048_576,
  });
});

test("links lead to pages of the web and to paths of the host", () => {
  const urls = ["http://127.0.0.1:4600", "HTTPS://example.com/a?b=c#d", "/", "/documents?page=1", "/a//b"];
  const links = urls.map((url) => ({ title: "x".repeat(80), url }));
  expect(readServerConfig({ engine, access: "loopback", links }).links).toEqual(links);
});

describe("refused, with what is right:", () => {
  const cases: [object, string][] = [
    [{ acess: "loopback" }, 'Unknown setting "acess" of a server. Did you mean "access"?'],
    [{ engine: {} }, "engine must come from createEngine."],
    [{ access: undefined }, "access must be"],
    [{ access: "open" }, "access must be"],
    [{ access: { tokens: [] } }, "access must be"],
    [{ access: { tokens: [{ user: "a" }] } }, "needs either token or sha256"],
    [{ access: { tokens: [{ user: "a", token: "short" }] } }, "is shorter than 22 characters"],
    [{ access: { tokens: [{ user: "a", token: `${token} ` }] } }, "without spaces"],
    [{ access: { tokens: [{ user: "a", sha256: "abc" }] } }, "not 64 hex digits"],
    [{ access: { tokens: [{ token }] } }, "needs a user"],
    [{ access: { tokens: [{ user: "a", token, role: "admin" }] } }, 'other than "viewer" and "operator"'],
    [{ access: { tokens: [{ user: "a", token, rights: ["jobs.delete"] }] } }, 'unknown right "jobs.delete"'],
    [{ access: { tokens: [{ user: "a", token, rigths: [] }] } }, 'Did you mean "rights"?'],
    [{ links: "/documents" }, "links must be a list such as"],
    [{ links: Array(21).fill({ title: "Documents", url: "/documents" }) }, "at most 20 links, not 21"],
    [{ links: [{ title: "a", url: "/a" }, null] }, "links has a link, number 2, that is no object"],
    [{ links: [{ titel: "Documents", url: "/" }] }, 'Did you mean "title"?'],
    [{ links: [{ title: " ", url: "/" }] }, "needs a title of 1 to 80 characters"],
    [{ links: [{ title: "x".repeat(81), url: "/" }] }, "needs a title of 1 to 80 characters"],
    [{ links: [{ title: "Documents" }] }, "needs a url that is"],
    ...[
      ...["javascript:alert(1)", "JavaScript:alert(1)", "java\nscript:alert(1)", " javascript:alert(1)"],
      ...["data:text/html,hello", "vbscript:x", "ftp://example.com", "documents", "", "https://"],
      ...["//evil.example", "/\\evil.example", "/\t/evil.example", "http:\\\\evil.example"],
      ...[`https://ada:${token}@example.com`, `/${"x".repeat(2_000)}`],
    ].map((url): [object, string] => [{ links: [{ title: "Documents", url }] }, "needs a url that is"]),
    [{ mountPath: "/ops/" }, "without a slash at its end"],
    [{ mountPath: "ops" }, "must be a path"],
    [{ hosts: ["jobs.example.com:80"] }, "without ports"],
    [{ redact: ["payload.card"] }, "must be a list of JSON pointers"],
    [{ redact: ["/status"] }, "begins with none of /payload"],
    [{ redactKeys: "secret" }, "must be a RegExp, or null"],
    [{ readsPerSecond: 0 }, "from 1 to 1000000, or null"],
    [{ consoleFolder: "console" }, "build the console first"],
  ];
  test.each(cases)("%j", (options, sentence) => {
    const complaint = complaintAbout(options);
    expect(complaint).toContain(sentence);
    // Whatever is wrong with a token, it may be a secret.
    expect(complaint).not.toContain(token);
  });
});
