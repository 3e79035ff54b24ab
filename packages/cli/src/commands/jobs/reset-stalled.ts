import { defineCommand } from "../../command-line/command.ts";
import { exitCode } from "../../session/exit-code.ts";

export const resetStalledCommand = defineCommand({
  name: "jobs reset-stalled",
  summary:
    "Takes back the jobs of workers whose lease is over, at once. Workers do the same every few seconds.",
  examples: [["lockstep jobs reset-stalled", "after a crash with no other worker alive"]],
  flags: {},
  async run({ engine, output }) {
    const jobs = await (await engine()).resetStalled();
    await output.record({ jobs }, () => [
      jobs === 0 ? "No job is held by a lost worker." : `${jobs} taken back from lost workers.`,
    ]);
    return exitCode("done");
  },
});
