import type { CommandContext } from "../command-line/command.ts";
import type { Column } from "../output/table.ts";
import type { ImportReport, QueueReport } from "./import-report.ts";

const columnsOf = (isDryRun: boolean): Column<QueueReport>[] => [
  { title: "QUEUE", cell: ({ queue }) => queue, isElastic: true },
  { title: "PIPELINE", cell: ({ pipeline }) => pipeline ?? "none", isElastic: true },
  { title: "WAITING", cell: ({ waiting }) => String(waiting), align: "right" },
  { title: "SCHEDULED", cell: ({ scheduled }) => String(scheduled), align: "right" },
  { title: "RETRYING", cell: ({ retrying }) => String(retrying), align: "right" },
  { title: "HELD", cell: ({ held }) => String(held), align: "right" },
  { title: "RUNNING", cell: ({ running }) => String(running), align: "right" },
  {
    title: isDryRun ? "WOULD IMPORT" : "IMPORTED",
    cell: ({ imported }) => String(imported),
    align: "right",
  },
  { title: "REFUSED", cell: ({ refused }) => String(refused), align: "right" },
];

/** The table on stdout, and what to know and do on stderr; as JSON all of it is one document. */
export async function tellReport(
  { output }: Pick<CommandContext, "output">,
  report: ImportReport,
): Promise<void> {
  const { queues, isDryRun, source, schedules, remarks } = report;
  await output.list(queues, columnsOf(isDryRun), {
    document: { source, isDryRun, schedules, remarks },
    none: `There is no queue in ${source}.`,
  });
  if (output.format !== "text") return;
  await output.lines([...refusalLines(report), ...scheduleLines(report)].map((line) => output.safe(line)));
  for (const line of [...queueNotes(report), ...remarks]) output.note(output.safe(line));
}

function refusalLines({ queues }: ImportReport): string[] {
  return queues.flatMap(({ queue, refusals, refused }) => [
    ...refusals.map(({ id, reason }) => `refused  ${queue} ${id}: ${reason}`),
    ...(refused > refusals.length ? [`refused  ${queue}: ${refused - refusals.length} more`] : []),
  ]);
}

function scheduleLines({ schedules, isDryRun }: ImportReport): string[] {
  return schedules.map(({ name, queue, cron, timeZone, reason }) =>
    reason === null
      ? `schedule ${name}: ${isDryRun ? "would add" : "adds"} a job of ${queue} at ${cron} in ${timeZone}`
      : `schedule ${name} of ${queue} stays there: ${reason}`,
  );
}

function queueNotes({ queues, source, isDryRun }: ImportReport): string[] {
  return queues.flatMap(({ queue, pipeline, running, bound, waiting, scheduled, retrying }) => {
    if (pipeline === null) {
      const jobs = waiting + scheduled + retrying;
      if (jobs === 0) return [];
      return [
        `${queue} is left alone, with ${jobsText(jobs)}: no pipeline has its name. Say which with --queue '${queue}=PIPELINE'.`,
      ];
    }
    return [
      ...(running === 0
        ? []
        : [
            `${jobsText(running)} of ${queue} ${running === 1 ? "is" : "are"} running in ${source} and ${isDryRun ? "would stay" : "stayed"} there; if one of them waits again, run this once more.`,
          ]),
      ...(bound === 0
        ? []
        : [
            `${jobsText(bound)} of ${queue} ${bound === 1 ? "belongs" : "belong"} to a flow or to a repeating job, and ${isDryRun ? "would stay" : "stayed"} in ${source}.`,
          ]),
    ];
  });
}

export function jobsText(value: number): string {
  return `${value.toLocaleString("en-US")} ${value === 1 ? "job" : "jobs"}`;
}
