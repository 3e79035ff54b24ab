import { createHash, randomBytes } from "node:crypto";
import { defineCommand } from "../command-line/command.ts";
import { exitCode } from "../session/exit-code.ts";

export const tokenCommand = defineCommand({
  name: "token",
  summary: "Generates a random token for `lockstep serve`, and its SHA-256 to store instead.",
  examples: [
    ["lockstep token", "a token, and what to write into the configuration"],
    ["lockstep token --json | jq -r .token", "only the token"],
  ],
  flags: {},
  async run({ output }) {
    const token = randomBytes(24).toString("base64url");
    const sha256 = createHash("sha256").update(token).digest("hex");
    await output.record({ token, sha256 }, () => [`token   ${token}`, `sha256  ${sha256}`]);
    output.note(`The server needs only the SHA-256: LOCKSTEP_TOKENS=ops:operator:sha256=${sha256}`);
    return exitCode("done");
  },
});
