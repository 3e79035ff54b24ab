import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { workersQuery } from "../api/workers-api.ts";
import { SomeJobs } from "../components/jobs/some-jobs.tsx";
import { EmptyState } from "../components/shared/states.tsx";
import { WhenRead } from "../components/shared/when-read.tsx";
import { WorkerCard } from "../components/workers/worker-card.tsx";
import { shortId } from "../format/short-id.ts";
import { Crumbs } from "../shell/crumbs.tsx";
import { PageHeader } from "../shell/page-header.tsx";
import { text } from "../text/text.ts";
import { Panel } from "../ui/panel.tsx";
import { SkeletonRows } from "../ui/skeleton.tsx";

/** One worker: how it is, and everything it holds. */
export function WorkerPage() {
  const { id } = useParams({ from: "/workers/$id" });
  const workers = useQuery(workersQuery);
  const worker = workers.data?.find(({ workerId }) => workerId === id);
  const filter = `status:processing worker:${id}`;
  return (
    <>
      <PageHeader
        tabTitle={worker?.name ?? shortId(id)}
        title={
          <Crumbs to="/workers" parent={text.workers.title}>
            {worker?.name ?? <span className="font-mono">{shortId(id)}</span>}
          </Crumbs>
        }
      />
      <WhenRead
        queries={[workers]}
        skeleton={
          <div className="panel">
            <SkeletonRows />
          </div>
        }
      >
        {() =>
          worker === undefined ? (
            <div className="panel">
              <EmptyState title={text.workers.gone}>{text.workers.goneAdvice}</EmptyState>
            </div>
          ) : (
            <div className="space-y-4">
              <WorkerCard worker={worker} isAlone />
              <Panel
                title={text.workers.holds}
                aside={
                  <Link to="/jobs" search={{ filter }} className="rounded text-primary hover:underline">
                    {text.common.all}
                  </Link>
                }
                isFlush
              >
                <SomeJobs
                  query={{ filter, sort: "claimedAt" }}
                  time={{ name: text.jobs.claimed, at: (job) => job.claimedAt }}
                  everyMs={3_000}
                  none={text.workers.holdsNothing}
                />
              </Panel>
            </div>
          )
        }
      </WhenRead>
    </>
  );
}
