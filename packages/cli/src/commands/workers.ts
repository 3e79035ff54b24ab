import type { WorkerInfo } from "lockstep";
import { defineCommand } from "../command-line/command.ts";
import { timeText } from "../output/time-text.ts";
import { exitCode } from "../session/exit-code.ts";

export const workersCommand = defineCommand({
  name: "workers",
  aliases: ["workers list"],
  summary: "Lists the workers: where they run, if they are alive, which jobs they hold. Lost ones first.",
  examples: [
    ["lockstep workers", "all that are alive, or were lost recently"],
    ["lockstep workers --json | jq '.data[] | select(.isAlive | not)'", "only the lost ones"],
  ],
  flags: {},
  async run({ reader, output, io }) {
    const workers = [...(await (await reader()).workers())].sort(
      (one, other) => Number(one.isAlive) - Number(other.isAlive),
    );
    const now = io.clock.now();
    const { red, green, dim } = output.paint;
    await output.list(
      workers,
      [
        {
          title: "STATE",
          cell: ({ isAlive }) =>
            output.isForPeople ? (isAlive ? "● live" : "! lost") : isAlive ? "live" : "lost",
          paint: (text, { isAlive }) => (isAlive ? green(text) : red(text)),
        },
        { title: "NAME", cell: ({ name }) => name, isElastic: true },
        { title: "HOST", cell: ({ host }) => host ?? "-", isElastic: true },
        { title: "PID", cell: ({ pid }) => String(pid ?? "-"), align: "right" },
        { title: "VERSION", cell: ({ version }) => version ?? "-" },
        { title: "BUSY", cell: busyOf, align: "right" },
        { title: "JOBS", cell: ({ activeJobs }) => String(activeJobs), align: "right" },
        { title: "OLDEST JOB", cell: ({ oldestJobAt }) => timeText(oldestJobAt, now, output.isForPeople) },
        { title: "NEWEST JOB", cell: ({ newestJobAt }) => timeText(newestJobAt, now, output.isForPeople) },
        { title: "HEARTBEAT", cell: ({ heartbeatAt }) => timeText(heartbeatAt, now, output.isForPeople) },
        { title: "STAGES", cell: ({ stages }) => stages.join(","), isElastic: true, paint: dim },
      ],
      { none: "There is no worker: `lockstep work` or `lockstep dev` starts one." },
    );
    return exitCode("done");
  },
});

/** Busy processors of all, as the worker's last report has them. */
function busyOf({ report }: WorkerInfo): string {
  const stages: unknown = (report as { stages?: unknown } | null)?.stages;
  if (!Array.isArray(stages)) return "-";
  const sum = (name: string) => stages.reduce((total, stage) => total + (Number(stage?.[name]) || 0), 0);
  return `${sum("busy")}/${sum("busy") + sum("idle") + sum("error")}`;
}
