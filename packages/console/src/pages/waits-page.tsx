import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { WaitingJob } from "../api/contract.ts";
import { waitingJobsQuery } from "../api/waits-api.ts";
import { WaitIcon } from "../components/job/wait-mark.tsx";
import { previewText } from "../components/jobs/preview-text.ts";
import { DataTable } from "../components/shared/data-table.tsx";
import { QueryPanel } from "../components/shared/query-panel.tsx";
import { RelativeTime } from "../components/shared/relative-time.tsx";
import { EmptyState } from "../components/shared/states.tsx";
import { shortId } from "../format/short-id.ts";
import { usePollMs } from "../live/live-status.ts";
import { PageHeader } from "../shell/page-header.tsx";
import { text } from "../text/text.ts";
import { Button } from "../ui/button.tsx";

/** The jobs that go on only when somebody answers. */
export function WaitsPage() {
  const [cursor, setCursor] = useState<string | undefined>(undefined);
  const pollMs = usePollMs();
  const query = useQuery({ ...waitingJobsQuery(cursor), refetchInterval: pollMs || 5_000 });
  return (
    <>
      <PageHeader title={text.waits.title} />
      <QueryPanel query={query}>
        {({ data, page }) =>
          data.length === 0 && cursor === undefined ? (
            <EmptyState title={text.waits.none}>{text.waits.noneAdvice}</EmptyState>
          ) : (
            <>
              <DataTable
                label={text.waits.title}
                rows={data}
                rowKey={({ id }) => id}
                columns={[
                  {
                    name: text.waits.signal,
                    isHeader: true,
                    cell: ({ id, wait }: WaitingJob) => (
                      <Link
                        to="/jobs/$id"
                        params={{ id }}
                        className="inline-flex items-center gap-2 rounded font-medium text-primary hover:underline"
                      >
                        <WaitIcon kind="wait" /> {wait.signal}
                        <span className="font-mono text-xs font-normal text-muted">{shortId(id)}</span>
                      </Link>
                    ),
                  },
                  {
                    name: text.job.pipeline,
                    cell: ({ pipeline }) => (
                      <Link to="/pipelines/$name" params={{ name: pipeline }} className="hover:underline">
                        {pipeline}
                      </Link>
                    ),
                  },
                  {
                    name: text.job.payload,
                    isWide: true,
                    className: "max-w-0 w-[30%]",
                    cell: ({ payloadPreview }) => (
                      <span
                        className="block truncate font-mono text-xs text-muted"
                        title={payloadPreview ?? undefined}
                      >
                        {previewText(payloadPreview)}
                      </span>
                    ),
                  },
                  { name: text.job.owner, cell: ({ owner }) => owner ?? "–" },
                  {
                    name: text.waits.since,
                    isRight: true,
                    cell: ({ wait }) => <RelativeTime at={wait.since} />,
                  },
                  {
                    name: text.waits.until,
                    isRight: true,
                    cell: ({ wait }) =>
                      wait.until === null ? (
                        <span className="text-muted">{text.waits.noEnd}</span>
                      ) : (
                        <RelativeTime at={wait.until} />
                      ),
                  },
                ]}
              />
              {(page.next !== null || cursor !== undefined) && (
                <div className="flex justify-end gap-2 border-t px-4 py-2">
                  {cursor !== undefined && (
                    <Button size="small" onClick={() => setCursor(undefined)}>
                      {text.waits.first}
                    </Button>
                  )}
                  {page.next !== null && (
                    <Button size="small" onClick={() => setCursor(page.next ?? undefined)}>
                      {text.waits.next}
                    </Button>
                  )}
                </div>
              )}
            </>
          )
        }
      </QueryPanel>
    </>
  );
}
