import type { JobStatus, StageCount } from "lockstep";
import { jobStatuses } from "lockstep/internal";
import { type CommandContext, defineCommand } from "../command-line/command.ts";
import { refuseUnknownNames } from "../errors/known-pipeline.ts";
import { paintStatus } from "../output/status-text.ts";
import type { Column } from "../output/table.ts";
import { exitCode } from "../session/exit-code.ts";

interface StageRow {
  readonly pipeline: string;
  readonly stage: string;
  readonly paused: boolean;
  readonly jobs: Readonly<Record<JobStatus, number>>;
}

export const statsCommand = defineCommand({
  name: "stats",
  summary: "Counts the jobs of each stage by status; --watch keeps counting.",
  examples: [
    ["lockstep stats", "how many jobs are where"],
    ["lockstep stats --watch", "the same each second, until Ctrl-C"],
    ["lockstep stats --watch --jsonl --interval 10s >> stats.jsonl", "keep a record of it"],
  ],
  flags: {
    watch: { type: "switch", sentence: "Continue until Ctrl-C." },
    interval: { type: "span", placeholder: "SPAN", sentence: "How often, with --watch; default 1s." },
    pipeline: {
      type: "text",
      placeholder: "NAME",
      completes: "pipelines",
      sentence: "Only the stages of this pipeline.",
    },
  },
  async run(context) {
    const { flags, signal, io, reader } = context;
    const queue = await reader();
    await refuseUnknownNames(queue, flags);
    const read = async () =>
      (await queue.stats()).filter(({ pipeline }) => [undefined, pipeline].includes(flags.pipeline));
    if (!flags.watch) {
      await print(context, await read());
      return exitCode("done");
    }
    let drawnLines = 0;
    while (!signal.aborted) {
      drawnLines = await redraw(context, await read(), drawnLines);
      await io.clock.sleep(flags.interval ?? 1_000, signal);
    }
    return exitCode("done");
  },
});

async function print(
  { output }: Pick<CommandContext, "output">,
  counts: readonly StageCount[],
): Promise<void> {
  if (output.format === "text") {
    const rows = rowsOf(counts);
    if (rows.length === 0)
      output.note("No pipeline is defined yet: a worker defines its own when it starts.");
    else await output.lines(output.table(rows, columns({ output })));
  } else await output.list(counts, []);
}

/** On a terminal the table stays in its place; comes back with how many lines it has. */
async function redraw(
  { output, config, io }: Pick<CommandContext, "output" | "config" | "io">,
  counts: readonly StageCount[],
  drawnLines: number,
): Promise<number> {
  if (output.format !== "text") {
    await output.line(() => "", { at: io.clock.now(), data: counts });
    return 0;
  }
  if (!output.isForPeople || !config.isRedrawn) {
    await print({ output }, counts);
    return 0;
  }
  const lines = output.table(rowsOf(counts), columns({ output }));
  await io.stdout.write(drawnLines === 0 ? "" : `\u001b[${drawnLines}A\u001b[J`);
  await output.lines(lines);
  return lines.length;
}

function columns({ output }: Pick<CommandContext, "output">): Column<StageRow>[] {
  const { paint } = output;
  return [
    { title: "PIPELINE", cell: ({ pipeline }) => pipeline, isElastic: true },
    {
      title: "STAGE",
      cell: ({ stage, paused }) => (paused ? `${stage} ${output.isForPeople ? "‖ " : ""}paused` : stage),
      isElastic: true,
      paint: (text, { paused }) => (paused ? paint.cyan(text) : text),
    },
    ...jobStatuses.map(
      (status): Column<StageRow> => ({
        title: status.toUpperCase(),
        cell: ({ jobs }) => numberText(jobs[status], output.isForPeople),
        align: "right",
        paint: (text, { jobs }) => (jobs[status] === 0 ? paint.dim(text) : paintStatus(text, status, paint)),
      }),
    ),
  ];
}

function numberText(value: number, isForPeople: boolean): string {
  return isForPeople ? value.toLocaleString("en-US") : String(value);
}

function rowsOf(counts: readonly StageCount[]): StageRow[] {
  const rows = new Map<string, StageRow & { jobs: Record<JobStatus, number> }>();
  for (const { pipeline, stage, status, jobs, paused } of counts) {
    const key = `${pipeline}/${stage}`;
    const none = Object.fromEntries(jobStatuses.map((one) => [one, 0])) as Record<JobStatus, number>;
    const row = rows.get(key) ?? { pipeline, stage, paused, jobs: none };
    row.jobs[status] = jobs;
    rows.set(key, row);
  }
  return [...rows.values()];
}
