import { useQuery } from "@tanstack/react-query";
import { CircleAlert, CircleCheck } from "lucide-react";
import { healthQuery } from "../api/health-api.ts";
import { DataTable } from "../components/shared/data-table.tsx";
import { QueryPanel } from "../components/shared/query-panel.tsx";
import { formatDuration } from "../format/duration.ts";
import { formatNumber } from "../format/number.ts";
import { PageHeader } from "../shell/page-header.tsx";
import { text } from "../text/text.ts";
import { Button } from "../ui/button.tsx";

export function HealthPage() {
  const query = useQuery({ ...healthQuery, refetchInterval: 5_000 });
  const bad = query.data?.checks?.filter(({ ok }) => !ok).length ?? 0;
  return (
    <>
      <PageHeader title={text.health.title}>
        <Button onClick={() => void query.refetch()} isBusy={query.isFetching && query.data === undefined}>
          {text.health.now}
        </Button>
      </PageHeader>
      <QueryPanel query={query}>
        {({ ok, checks }) => (
          <>
            <p className="flex items-center gap-2 border-b px-4 py-3 font-medium">
              <Mark ok={ok && bad === 0} />
              {!ok && checks?.[0]?.ok === false
                ? text.health.away
                : bad === 0
                  ? text.health.ok
                  : text.health.bad(bad)}
            </p>
            {!ok && <p className="px-4 pt-3 text-muted">{text.health.awayAdvice}</p>}
            {checks === undefined ? (
              <p className="px-4 py-3 text-muted">{text.health.hidden}</p>
            ) : (
              <DataTable
                label={text.health.title}
                rows={checks}
                rowKey={({ check }) => check}
                columns={[
                  {
                    name: text.health.check,
                    isHeader: true,
                    cell: (each) => (
                      <span className="flex items-center gap-2 font-medium first-letter:uppercase">
                        <Mark ok={each.ok} /> {checkName(each.check)}
                      </span>
                    ),
                  },
                  { name: text.health.value, isRight: true, cell: ({ check, value }) => shown(check, value) },
                  {
                    name: text.health.threshold,
                    isRight: true,
                    cell: ({ check, threshold }) => (
                      <span className="text-muted">{shown(check, threshold)}</span>
                    ),
                  },
                  {
                    name: text.health.advice,
                    className: "w-1/2",
                    cell: ({ advice, detail }) => (
                      <>
                        {advice !== null && <p>{advice}</p>}
                        {(detail !== null || advice === null) && (
                          <p className="text-muted">{detail ?? "–"}</p>
                        )}
                      </>
                    ),
                  },
                ]}
              />
            )}
          </>
        )}
      </QueryPanel>
    </>
  );
}

function Mark({ ok }: { readonly ok: boolean }) {
  const Icon = ok ? CircleCheck : CircleAlert;
  return (
    <span className={ok ? "text-completed" : "text-failed"}>
      <Icon size={17} aria-hidden />
      <span className="sr-only">{ok ? text.health.pass : text.health.fail}</span>
    </span>
  );
}

function checkName(check: string): string {
  const name = check.replace(/ ms$/, "");
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Spans are named as such, or are the database's round trip. */
function shown(check: string, value: number | string | null): string {
  if (value === null) return "–";
  if (typeof value === "string") return value;
  return / ms$|^database$/.test(check) ? formatDuration(value) : formatNumber(value);
}
