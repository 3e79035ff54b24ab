import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { RotateCw } from "lucide-react";
import { useState } from "react";
import type { BulkStart } from "../api/bulk-api.ts";
import type { ErrorHistory, ErrorKind } from "../api/contract.ts";
import { errorHistoriesQuery, errorsQuery } from "../api/errors-api.ts";
import { useMay } from "../api/me-api.ts";
import { BulkDialog } from "../components/bulk/bulk-dialog.tsx";
import { SmallBars } from "../components/charts/small-bars.tsx";
import { DataTable } from "../components/shared/data-table.tsx";
import { QueryPanel } from "../components/shared/query-panel.tsx";
import { RelativeTime } from "../components/shared/relative-time.tsx";
import { EmptyState } from "../components/shared/states.tsx";
import { formatNumber } from "../format/number.ts";
import { PageHeader } from "../shell/page-header.tsx";
import { text } from "../text/text.ts";
import { Button } from "../ui/button.tsx";

export function ErrorsPage() {
  const { sort = "-lastAt" } = useSearch({ from: "/errors" });
  const navigate = useNavigate({ from: "/errors" });
  const query = useQuery(errorsQuery(sort));
  const histories = useQuery(errorHistoriesQuery);
  const mayRetry = useMay("jobs.retry");
  const [bulk, setBulk] = useState<BulkStart | null>(null);
  return (
    <>
      <PageHeader title={text.errorsPage.title} below={text.errorsPage.explain} />
      <QueryPanel query={query}>
        {(data) =>
          data.length === 0 ? (
            <EmptyState title={text.errorsPage.none}>{text.errorsPage.noneAdvice}</EmptyState>
          ) : (
            <>
              <DataTable
                label={text.errorsPage.title}
                rows={data}
                rowKey={({ fingerprint }) => fingerprint}
                columns={[
                  {
                    name: text.errorsPage.error,
                    isHeader: true,
                    className: "max-w-0 w-[46%] min-w-56",
                    cell: (group: ErrorKind) => (
                      <Link
                        to="/errors/$fingerprint"
                        params={{ fingerprint: group.fingerprint }}
                        className="block hover:underline"
                      >
                        <b className="block truncate font-medium text-failed">
                          {group.name ?? text.errorsPage.unnamed}
                        </b>
                        <span
                          className="line-clamp-2 font-mono text-xs break-words text-muted"
                          title={group.message ?? undefined}
                        >
                          {group.message}
                        </span>
                      </Link>
                    ),
                  },
                  {
                    name: text.errorsPage.place,
                    cell: ({ pipeline, stage }) => (
                      <>
                        <span className="whitespace-nowrap">{stage}</span>
                        <span className="block text-xs whitespace-nowrap text-muted">{pipeline}</span>
                      </>
                    ),
                  },
                  {
                    name: text.errorsPage.count,
                    isRight: true,
                    sort: {
                      isOn: sort === "-jobs",
                      onSort: () => void navigate({ search: { sort: "-jobs" } }),
                    },
                    cell: ({ jobs, capped }) => (
                      <span
                        className="font-medium"
                        title={capped ? text.errorsPage.atLeast(jobs) : undefined}
                      >
                        {formatNumber(jobs)}
                        {capped && "+"}
                      </span>
                    ),
                  },
                  {
                    name: text.errorsPage.lastDay,
                    cell: ({ fingerprint }) => <LastDay jobs={histories.data?.get(fingerprint)} />,
                  },
                  {
                    name: text.errorsPage.first,
                    isWide: true,
                    cell: ({ firstAt }) => <RelativeTime at={firstAt} />,
                  },
                  {
                    name: text.errorsPage.last,
                    sort: { isOn: sort === "-lastAt", onSort: () => void navigate({ search: {} }) },
                    cell: ({ lastAt }) => <RelativeTime at={lastAt} />,
                  },
                  ...(mayRetry
                    ? [
                        {
                          name: <span className="sr-only">{text.errorsPage.actions}</span>,
                          isRight: true,
                          cell: (group: ErrorKind) => (
                            <Button
                              size="small"
                              aria-label={`${text.errorsPage.retry}: ${group.name ?? text.errorsPage.unnamed}`}
                              onClick={() =>
                                setBulk({
                                  action: "retry",
                                  filter: `status:failed error:${group.fingerprint}`,
                                })
                              }
                            >
                              <RotateCw size={13} aria-hidden /> {text.errorsPage.retry}
                            </Button>
                          ),
                        },
                      ]
                    : []),
                ]}
              />
              {data.some(({ capped }) => capped) && (
                <p className="border-t px-4 py-2 text-table text-muted">{text.errorsPage.capped}</p>
              )}
            </>
          )
        }
      </QueryPanel>
      {bulk !== null && (
        <BulkDialog start={bulk} onClose={() => setBulk(null)} onStarted={() => setBulk(null)} />
      )}
    </>
  );
}

/** Nothing where no job failed within the day. */
function LastDay({ jobs }: { readonly jobs: ErrorHistory["jobs"] | undefined }) {
  if (jobs === undefined) return <span className="text-muted">–</span>;
  const total = text.common.jobs(jobs.reduce<number>((sum, value) => sum + (value ?? 0), 0));
  return (
    <SmallBars
      values={jobs}
      label={text.errorsPage.lastDaySentence(jobs.includes(null) ? text.bulk.atLeast(total) : total)}
      className="text-failed"
    />
  );
}
