import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { bulkActionsQuery } from "../api/bulk-api.ts";
import type { BulkAction } from "../api/contract.ts";
import { BulkProgress, BulkStatus, bulkTarget, skippedOf } from "../components/bulk/bulk-parts.tsx";
import { DataTable } from "../components/shared/data-table.tsx";
import { QueryPanel } from "../components/shared/query-panel.tsx";
import { RelativeTime } from "../components/shared/relative-time.tsx";
import { EmptyState } from "../components/shared/states.tsx";
import { formatNumber } from "../format/number.ts";
import { PageHeader } from "../shell/page-header.tsx";
import { text } from "../text/text.ts";

export function BulkPage() {
  const query = useQuery({
    ...bulkActionsQuery,
    refetchInterval: ({ state }) => (state.data?.some(({ status }) => status === "running") ? 1_000 : 15_000),
  });
  return (
    <>
      <PageHeader title={text.bulk.title} />
      <QueryPanel query={query}>
        {(actions) =>
          actions.length === 0 ? (
            <EmptyState title={text.bulk.none}>{text.bulk.noneAdvice}</EmptyState>
          ) : (
            <DataTable
              label={text.bulk.title}
              rows={actions}
              rowKey={({ id }) => id}
              columns={[
                { name: text.jobs.status, cell: ({ status }) => <BulkStatus status={status} /> },
                {
                  name: text.activity.action,
                  isHeader: true,
                  className: "max-w-0 w-[34%] min-w-40",
                  cell: (action: BulkAction) => (
                    <Link to="/bulk/$id" params={{ id: action.id }} className="block hover:underline">
                      <span className="font-medium text-primary">{text.bulk.action[action.action]}</span>
                      <span
                        className="block truncate font-mono text-xs text-muted"
                        title={bulkTarget(action)}
                      >
                        {bulkTarget(action)}
                      </span>
                    </Link>
                  ),
                },
                {
                  name: text.jobs.progress,
                  className: "min-w-32",
                  cell: (action) => <BulkProgress action={action} />,
                },
                { name: text.bulk.done, isRight: true, cell: ({ done }) => formatNumber(done) },
                {
                  name: text.bulk.skipped,
                  isRight: true,
                  isWide: true,
                  cell: (action) => formatNumber(skippedOf(action)),
                },
                { name: text.bulk.asked, isWide: true, cell: ({ user }) => user },
                {
                  name: text.bulk.started,
                  isRight: true,
                  cell: ({ startedAt }) => <RelativeTime at={startedAt} />,
                },
              ]}
            />
          )
        }
      </QueryPanel>
    </>
  );
}
