import { defineCommand } from "../command-line/command.ts";
import { exitCode } from "../session/exit-code.ts";

export const verifyCommand = defineCommand({
  name: "verify",
  summary: "Checks the queue's invariants; exit code 7 when one is broken.",
  examples: [
    ["lockstep verify", "list the invariants that are broken, if any"],
    ["lockstep verify --json | jq .data", "the same for a program"],
  ],
  flags: {},
  async run({ engine, output }) {
    const violations = await (await engine()).verify();
    await output.list(
      violations,
      [
        { title: "INVARIANT", cell: ({ invariant }) => invariant, paint: output.paint.red },
        { title: "JOB", cell: ({ jobId }) => jobId ?? "-" },
        { title: "VIOLATION", cell: ({ violation }) => violation, isElastic: true },
      ],
      { none: "Every invariant holds." },
    );
    return exitCode(violations.length === 0 ? "done" : "checkFailed");
  },
});
