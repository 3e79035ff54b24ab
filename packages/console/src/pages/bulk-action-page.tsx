import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { CircleStop } from "lucide-react";
import type { ReactNode } from "react";
import { abortBulk, bulkActionQuery } from "../api/bulk-api.ts";
import type { BulkAction } from "../api/contract.ts";
import { useMay } from "../api/me-api.ts";
import { BulkProgress, BulkStatus, bulkTarget, skippedOf } from "../components/bulk/bulk-parts.tsx";
import { QueryPanel } from "../components/shared/query-panel.tsx";
import { AbsoluteTime } from "../components/shared/relative-time.tsx";
import { tellFailure } from "../components/shared/tell-failure.ts";
import { formatFull } from "../format/number.ts";
import { shortId } from "../format/short-id.ts";
import { PageHeader } from "../shell/page-header.tsx";
import { text } from "../text/text.ts";
import { Button } from "../ui/button.tsx";
import { toast } from "../ui/toasts.ts";

export function BulkActionPage() {
  const { id } = useParams({ from: "/bulk/$id" });
  const client = useQueryClient();
  const query = useQuery({
    ...bulkActionQuery(id),
    refetchInterval: ({ state }) =>
      state.data === undefined || state.data.status === "running" ? 1_000 : false,
  });
  const mayAbort = useMay(query.data?.action === "cancel" ? "jobs.cancel" : "jobs.retry");
  const abort = useMutation({
    mutationFn: () => abortBulk(id),
    onSuccess: () => {
      toast({ kind: "done", message: text.bulk.abortedToast });
      void client.invalidateQueries({ queryKey: ["bulk"] });
    },
    onError: tellFailure,
  });
  const action = query.data;
  return (
    <>
      <PageHeader
        tabTitle={text.bulk.title}
        title={
          <span className="flex flex-wrap items-baseline gap-x-2">
            <Link to="/bulk" className="font-normal text-muted hover:underline">
              {text.bulk.title}
            </Link>
            <span aria-hidden className="font-normal text-muted">
              /
            </span>
            {action === undefined ? shortId(id) : text.bulk.action[action.action]}
          </span>
        }
      >
        {action?.status === "running" && mayAbort && (
          <Button onClick={() => abort.mutate()} isBusy={abort.isPending}>
            <CircleStop size={15} aria-hidden /> {text.bulk.abort}
          </Button>
        )}
      </PageHeader>
      <QueryPanel query={query}>{(data) => <Loaded action={data} />}</QueryPanel>
    </>
  );
}

function Loaded({ action }: { readonly action: BulkAction }) {
  const facts: [string, ReactNode][] = [
    [text.bulk.matched, `${formatFull(action.matched.value)}${action.matched.exact ? "" : "+"}`],
    [text.bulk.done, formatFull(action.done)],
    [text.bulk.skipped, formatFull(skippedOf(action))],
    [text.bulk.failed, formatFull(action.failed)],
    ...(action.lookedTo === null || action.matched.exact
      ? []
      : [[text.bulk.lookedTo, <AbsoluteTime key="looked" at={action.lookedTo} />] as [string, ReactNode]]),
    [text.bulk.asked, action.user],
    [text.bulk.started, <AbsoluteTime key="started" at={action.startedAt} />],
    [text.bulk.ended, <AbsoluteTime key="ended" at={action.finishedAt} />],
  ];
  return (
    <div className="space-y-4 p-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <BulkStatus status={action.status} />
        <code className="min-w-0 font-mono text-xs break-words text-muted">{bulkTarget(action)}</code>
      </div>
      <BulkProgress action={action} isTall />
      <dl className="flex flex-wrap gap-x-8 gap-y-3">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt className="text-xs text-muted">{name}</dt>
            <dd className="font-medium">{value}</dd>
          </div>
        ))}
      </dl>
      {Object.keys(action.skipped).length > 0 && (
        <ul className="flex flex-wrap gap-x-6 text-table text-muted">
          {Object.entries(action.skipped).map(([answer, count]) => (
            <li key={answer}>
              {answer.replaceAll("_", " ")}: {formatFull(count)}
            </li>
          ))}
        </ul>
      )}
      {action.failures.length > 0 && (
        <div>
          <h2 className="mb-1 text-sm font-semibold">{text.bulk.samples}</h2>
          <ul className="divide-y text-table">
            {action.failures.map(({ jobId, message }) => (
              <li key={jobId} className="flex gap-3 py-1.5">
                <Link
                  to="/jobs/$id"
                  params={{ id: jobId }}
                  className="font-mono text-xs text-primary hover:underline"
                >
                  {shortId(jobId)}
                </Link>
                <span className="min-w-0 break-words">{message}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}
