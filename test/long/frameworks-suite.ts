import { hearNode, programOf } from "../../scripts/run-command.ts";
import type { LongSuite } from "./long-suite.ts";

export const frameworksSuite: LongSuite = {
  name: "frameworks",
  sentence:
    "The example projects, and what `npm create lockstep` adds, in Next, Nest, Express and Fastify, and an application bundled by Next, webpack and ncc, once: passes when each runs a job and stops cleanly.",
  async run({ tell }) {
    const command = ["run", "--config", "test/long/vitest.config.ts"];
    const { code, output } = await hearNode([...programOf("vitest"), ...command]);
    tell(code === 0 ? "all of them run" : output);
    return {
      figures: { projects: 1 },
      failures: code === 0 ? [] : ["A project does not work: see above."],
      replay: `npx vitest ${command.join(" ")}`,
    };
  },
};
