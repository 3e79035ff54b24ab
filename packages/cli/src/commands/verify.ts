import { defineCommand } from "../command.ts";
import { exitCode } from "../exit-code.ts";

export const verifyCommand = defineCommand({
  name: "verify",
  summary: "Checks the queue's invariants; exit code 7 when one is broken.",
  examples: [
    ["lockstep verify", "say what does not hold, if anything"],
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
