import { expect, test } from "vitest";
import { readTokens } from "./read-tokens.ts";

const secret = "abcdefghijklmnopqrstuvwx";
const sha256 = "0123456789abcdef".repeat(4);

test("tokens are read from commas and lines, themselves or as their SHA-256", () => {
  const text = `# who may come in\nops:operator:${secret},\n\nboard:viewer:sha256=${sha256}\n`;
  expect(readTokens(text, "tokens.txt")).toEqual([
    { user: "ops", role: "operator", token: secret },
    { user: "board", role: "viewer", sha256 },
  ]);
});

test.each([
  ["nothing", "\n# only words\n", "tokens.txt holds no token."],
  ["no role", `ops:${secret}`, "tokens.txt, token 1, cannot be read."],
  ["an unknown role", `a:viewer:${secret},b:admin:${secret}`, "tokens.txt, token 2, has an unknown role."],
  ["a short one", "ops:operator:hunter2", "tokens.txt, token 1, is too short to be safe."],
])("%s is refused, and no secret is repeated", (_what, text, sentence) => {
  const refusal = (() => {
    try {
      return readTokens(text, "tokens.txt");
    } catch (error) {
      return error as Error;
    }
  })();
  expect(refusal).toMatchObject({ exit: "usage", message: sentence });
  expect(JSON.stringify(refusal)).not.toContain(secret);
});
