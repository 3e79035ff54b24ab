import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Job } from "../../api/contract.ts";
import { text } from "../../text/text.ts";
import { Panel } from "../../ui/panel.tsx";
import { AbsoluteTime } from "../shared/relative-time.tsx";

export interface JobFactsProps {
  readonly job: Job;
  /** The name of the worker that runs it, or its id. */
  readonly worker: string | null;
}

export function JobFacts({ job, worker }: JobFactsProps) {
  const facts: [name: string, value: ReactNode][] = [
    [
      text.job.id,
      <span key="id" className="font-mono text-xs break-all">
        {job.id}
      </span>,
    ],
    [text.job.added, <AbsoluteTime key="added" at={job.addedAt} />],
    [
      text.job.scheduledFor,
      job.scheduledFor === null ? null : <AbsoluteTime key="due" at={job.scheduledFor} />,
    ],
    [text.job.claimed, job.claimedAt === null ? null : <AbsoluteTime key="claimed" at={job.claimedAt} />],
    [text.job.finished, job.finishedAt === null ? null : <AbsoluteTime key="finished" at={job.finishedAt} />],
    [text.job.worker, worker],
    [text.job.priority, job.priority],
    [text.job.losses, job.losses === 0 ? null : job.losses],
    [text.job.owner, job.owner],
    [text.job.dedupKey, job.dedupKey],
    [text.job.groupKey, job.groupKey],
    [text.job.batch, job.batchId],
    [text.job.parent, job.parentId === null ? null : <JobLink key="parent" id={job.parentId} />],
    [text.job.branch, job.branch],
    [text.job.forkedFrom, job.forkedFrom === null ? null : <JobLink key="forked" id={job.forkedFrom} />],
    [text.job.tags, job.tags.length === 0 ? null : job.tags.join(", ")],
  ];
  return (
    <Panel title={text.job.facts}>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-5 gap-y-1.5 text-table">
        {facts
          .filter(([, value]) => value !== null)
          .map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-muted">{name}</dt>
              <dd className="min-w-0 break-words">{value}</dd>
            </div>
          ))}
      </dl>
    </Panel>
  );
}

function JobLink({ id }: { readonly id: string }) {
  return (
    <Link to="/jobs/$id" params={{ id }} className="font-mono text-xs break-all text-primary hover:underline">
      {id}
    </Link>
  );
}
