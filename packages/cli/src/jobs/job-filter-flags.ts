import { type JobFilter, type JobStatus, parseJobFilter } from "lockstep";
import { didYouMean, jobStatuses } from "lockstep/internal";
import type { Flags, FlagValues } from "../command-line/flags.ts";
import { usageError } from "../errors/cli-error.ts";

/** Which jobs, by a filter as the console has it or by flags. */
export const jobFilterFlags = {
  filter: {
    type: "text",
    placeholder: "FILTER",
    sentence: "Such as 'status:failed pipeline:document-ocr since:24h payload.doc:contract.pdf'.",
  },
  status: {
    type: "text",
    placeholder: "STATUS",
    many: true,
    completes: "statuses",
    sentence: "Only this status, or several separated by commas.",
  },
  pipeline: { type: "text", placeholder: "NAME", completes: "pipelines", sentence: "Only this pipeline." },
  stage: { type: "text", placeholder: "STAGE", sentence: "Only this stage." },
  owner: { type: "text", placeholder: "OWNER", sentence: "Only jobs of this owner." },
  tag: { type: "text", placeholder: "TAG", sentence: "Only jobs with this tag." },
  since: {
    type: "time",
    placeholder: "TIME",
    sentence: "Only jobs added since then: 24h, or 2027-01-31T09:00:00Z.",
  },
  until: { type: "time", placeholder: "TIME", sentence: "Added before then." },
} as const satisfies Flags;

/** Filter and flags together. What both of them set is refused, since only one can apply. */
export function jobFilterOf(flags: FlagValues<typeof jobFilterFlags>, now: Date): JobFilter {
  const written = parseJobFilter(flags.filter ?? "", now);
  const flagged: JobFilter = {
    statuses: flags.status.length === 0 ? undefined : flags.status.flatMap(readStatuses),
    pipeline: flags.pipeline,
    stage: flags.stage,
    owner: flags.owner,
    tag: flags.tag,
    addedAfter: flags.since,
    addedBefore: flags.until,
  };
  const given = Object.entries(flagged).filter(([, value]) => value !== undefined);
  const twice = given.find(([name]) => Object.hasOwn(written, name));
  if (twice !== undefined) throw usageError(`The filter and a flag both give the ${twice[0]}: give it once.`);
  return { ...written, ...Object.fromEntries(given) };
}

function readStatuses(text: string): JobStatus[] {
  return text.split(",").map((word) => {
    const status = jobStatuses.find((one) => one === word);
    if (status !== undefined) return status;
    throw usageError(
      `--status must be one or more of ${jobStatuses.join(", ")}, not "${word}".${didYouMean(word, jobStatuses)}`,
    );
  });
}
