import { hearNode, programOf } from "../../scripts/run-command.ts";
import type { LongSuite } from "./long-suite.ts";

export const frameworksSuite: LongSuite = {
  name: "frameworks",
  sentence:
    "The production build of `examples/projects/next`, once: passes when it is built without a database, runs a job, and stops cleanly.",
  async run({ tell }) {
    const command = ["run", "--config", "test/long/vitest.config.ts"];
    const { code, output } = await hearNode([...programOf("vitest"), ...command]);
    tell(code === 0 ? "built and run" : output);
    return {
      figures: { projects: 1 },
      failures: code === 0 ? [] : ["The production build does not work: see above."],
      replay: `npx vitest ${command.join(" ")}`,
    };
  },
};
