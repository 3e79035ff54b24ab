import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { auditQuery } from "../api/audit-api.ts";
import type { RecordedAction } from "../api/contract.ts";
import { DataTable } from "../components/shared/data-table.tsx";
import { QueryPanel } from "../components/shared/query-panel.tsx";
import { RelativeTime } from "../components/shared/relative-time.tsx";
import { EmptyState } from "../components/shared/states.tsx";
import { PageHeader } from "../shell/page-header.tsx";
import { text } from "../text/text.ts";
import { Button } from "../ui/button.tsx";

export function ActivityPage() {
  const [cursor, setCursor] = useState<string>();
  const query = useQuery(auditQuery(cursor));
  return (
    <>
      <PageHeader title={text.activity.title} below={text.activity.explain} />
      <QueryPanel query={query}>
        {({ data, page }) =>
          data.length === 0 ? (
            <EmptyState title={text.activity.none}>{text.activity.noneAdvice}</EmptyState>
          ) : (
            <>
              <DataTable
                label={text.activity.title}
                rows={data}
                rowKey={({ id }) => id}
                columns={[
                  { name: text.activity.at, cell: ({ at }) => <RelativeTime at={at} /> },
                  { name: text.activity.user, cell: ({ user }) => user },
                  {
                    name: text.activity.action,
                    isHeader: true,
                    cell: ({ action }) => <span className="font-medium whitespace-nowrap">{action}</span>,
                  },
                  {
                    name: text.activity.target,
                    className: "break-all",
                    cell: (action) => <Target action={action} />,
                  },
                  { name: text.activity.outcome, cell: ({ outcome }) => outcome.replaceAll("_", " ") },
                  {
                    name: text.activity.request,
                    isWide: true,
                    cell: ({ requestId }) => (
                      <span className="font-mono text-xs text-muted">{requestId ?? "–"}</span>
                    ),
                  },
                ]}
              />
              <footer className="flex gap-2 border-t px-4 py-2">
                <Button size="small" disabled={cursor === undefined} onClick={() => setCursor(undefined)}>
                  {text.jobs.newer}
                </Button>
                <Button
                  size="small"
                  disabled={page.next === null}
                  onClick={() => setCursor(page.next ?? undefined)}
                >
                  {text.jobs.older} <ChevronRight size={14} aria-hidden />
                </Button>
              </footer>
            </>
          )
        }
      </QueryPanel>
    </>
  );
}

function Target({ action: { target } }: { readonly action: RecordedAction }) {
  const [, kind, id] = /^(jobs|bulk-actions)\/([0-9a-f-]{36})$/.exec(target) ?? [];
  if (id === undefined) return <>{target}</>;
  return (
    <Link
      to={kind === "jobs" ? "/jobs/$id" : "/bulk/$id"}
      params={{ id }}
      className="font-mono text-xs text-primary hover:underline"
    >
      {target}
    </Link>
  );
}
