import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { RotateCw } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { BulkStart } from "../api/bulk-api.ts";
import type { ErrorKind } from "../api/contract.ts";
import { errorQuery } from "../api/errors-api.ts";
import { jobQuery } from "../api/jobs-api.ts";
import { useMay } from "../api/me-api.ts";
import { BulkDialog } from "../components/bulk/bulk-dialog.tsx";
import { RangeSelect } from "../components/charts/range-select.tsx";
import { ErrorChart } from "../components/errors/error-chart.tsx";
import { StackTrace } from "../components/errors/stack-trace.tsx";
import { SomeJobs } from "../components/jobs/some-jobs.tsx";
import { AbsoluteTime } from "../components/shared/relative-time.tsx";
import { EmptyState } from "../components/shared/states.tsx";
import { WhenRead } from "../components/shared/when-read.tsx";
import { formatFull } from "../format/number.ts";
import { shortId } from "../format/short-id.ts";
import { Crumbs } from "../shell/crumbs.tsx";
import { PageHeader } from "../shell/page-header.tsx";
import { text } from "../text/text.ts";
import { Button } from "../ui/button.tsx";
import { Panel } from "../ui/panel.tsx";
import { SkeletonRows } from "../ui/skeleton.tsx";

/** One kind of error: what it says, where it happens, since when, and to which jobs. */
export function ErrorPage() {
  const { fingerprint } = useParams({ from: "/errors/$fingerprint" });
  const { range = "24h" } = useSearch({ from: "/errors/$fingerprint" });
  const navigate = useNavigate({ from: "/errors/$fingerprint" });
  const query = useQuery(errorQuery(fingerprint));
  const kind = query.data ?? null;
  const mayRetry = useMay("jobs.retry");
  const [bulk, setBulk] = useState<BulkStart | null>(null);
  const filter = `error:${fingerprint}`;
  return (
    <>
      <PageHeader
        tabTitle={kind?.name ?? text.errorsPage.title}
        title={
          <Crumbs to="/errors" parent={text.errorsPage.title}>
            {kind?.name ?? text.errorsPage.unnamed}
          </Crumbs>
        }
      >
        <RangeSelect range={range} onChange={(next) => void navigate({ search: { range: next } })} />
        {mayRetry && kind !== null && (
          <Button onClick={() => setBulk({ action: "retry", filter: `status:failed ${filter}` })}>
            <RotateCw size={14} aria-hidden /> {text.errorsPage.retry}
          </Button>
        )}
      </PageHeader>
      <div className="space-y-4">
        <WhenRead
          queries={[query]}
          skeleton={
            <div className="panel">
              <SkeletonRows rows={2} />
            </div>
          }
        >
          {() =>
            kind === null ? (
              <div className="panel">
                <EmptyState title={text.errorsPage.gone}>{text.errorsPage.goneAdvice}</EmptyState>
              </div>
            ) : (
              <KindFacts kind={kind} chart={<ErrorChart kind={kind} range={range} />} />
            )
          }
        </WhenRead>
        <Panel
          title={text.errorsPage.jobsWith}
          aside={
            <Link
              to="/jobs"
              search={{ status: "failed", filter }}
              className="rounded text-primary hover:underline"
            >
              {text.errorsPage.show}
            </Link>
          }
          isFlush
        >
          <SomeJobs
            query={{ filter: `status:failed ${filter}`, sort: "-finishedAt", limit: 20 }}
            time={{ name: text.jobs.finished, at: (job) => job.finishedAt }}
            everyMs={15_000}
            none={text.errorsPage.noJobs}
          />
        </Panel>
      </div>
      {bulk !== null && (
        <BulkDialog start={bulk} onClose={() => setBulk(null)} onStarted={() => setBulk(null)} />
      )}
    </>
  );
}

function KindFacts({ kind, chart }: { readonly kind: ErrorKind; readonly chart: ReactNode }) {
  const sample = useQuery(jobQuery(kind.sampleId));
  const facts: [name: string, value: ReactNode][] = [
    [text.errorsPage.count, `${formatFull(kind.jobs)}${kind.capped ? "+" : ""}`],
    [
      text.errorsPage.place,
      <Link
        key="place"
        to="/pipelines/$name"
        params={{ name: kind.pipeline }}
        className="text-primary hover:underline"
      >
        {kind.pipeline} / {kind.stage}
      </Link>,
    ],
    [text.errorsPage.first, <AbsoluteTime key="first" at={kind.firstAt} />],
    [text.errorsPage.last, <AbsoluteTime key="last" at={kind.lastAt} />],
  ];
  return (
    <>
      <div className="panel px-4 py-3">
        <dl className="flex flex-wrap gap-x-8 gap-y-2">
          {facts.map(([name, value]) => (
            <div key={name} className="min-w-0">
              <dt className="text-xs text-muted">{name}</dt>
              <dd className="break-words">{value}</dd>
            </div>
          ))}
        </dl>
        {kind.capped && <p className="mt-2 text-table text-muted">{text.errorsPage.capped}</p>}
      </div>
      {chart}
      <Panel
        title={text.errorsPage.sampleTitle}
        aside={
          <Link
            to="/jobs/$id"
            params={{ id: kind.sampleId }}
            className="rounded font-mono text-primary hover:underline"
          >
            {shortId(kind.sampleId)}
          </Link>
        }
      >
        {/* The list has the message already; the stack is the job's. */}
        <StackTrace error={sample.data?.error ?? { name: kind.name ?? "", message: kind.message ?? "" }} />
      </Panel>
    </>
  );
}
