import { defineCommand } from "../../command-line/command.ts";
import { exitCode } from "../../session/exit-code.ts";

export const listPipelinesCommand = defineCommand({
  name: "pipelines list",
  aliases: ["pipelines"],
  summary: "Lists the pipelines that the database knows, with their stages in order.",
  examples: [
    ["lockstep pipelines list", "all there are"],
    ["lockstep pipelines --json | jq -r '.data[].name'", "their names"],
  ],
  flags: {},
  async run({ reader, output }) {
    const { cyan } = output.paint;
    await output.list(
      await (await reader()).pipelines(),
      [
        { title: "PIPELINE", cell: ({ name }) => name },
        { title: "VERSION", cell: ({ version }) => String(version), align: "right" },
        { title: "EVENTS", cell: ({ events }) => (events ? "all jobs" : "owners") },
        {
          title: "STAGES",
          cell: ({ stages }) =>
            stages.map(({ name, pausedAt }) => (pausedAt === null ? name : `${name} (paused)`)).join(" > "),
          isElastic: true,
          paint: (text, { stages }) => (stages.some(({ pausedAt }) => pausedAt !== null) ? cyan(text) : text),
        },
      ],
      { none: "No pipeline is defined yet: a worker defines its own when it starts." },
    );
    return exitCode("done");
  },
});
