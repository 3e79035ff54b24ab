import { createHash, randomBytes } from "node:crypto";
import { defineCommand } from "../command.ts";
import { exitCode } from "../exit-code.ts";

export const tokenCommand = defineCommand({
  name: "token",
  summary: "Makes a random token for `lockstep serve`, and its SHA-256 to keep in its place.",
  examples: [
    ["lockstep token", "a token, and what to write into the configuration"],
    ["lockstep token --json | jq -r .token", "only the token"],
  ],
  flags: {},
  async run({ output }) {
    const token = randomBytes(24).toString("base64url");
    const sha256 = createHash("sha256").update(token).digest("hex");
    await output.record({ token, sha256 }, () => [`token   ${token}`, `sha256  ${sha256}`]);
    output.note(`The server needs only the second: LOCKSTEP_TOKENS=ops:operator:sha256=${sha256}`);
    return exitCode("done");
  },
});
