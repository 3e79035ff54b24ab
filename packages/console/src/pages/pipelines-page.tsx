import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import type { Pipeline } from "../api/contract.ts";
import { type Range, wholePipelinesQuery } from "../api/pipelines-api.ts";
import { RangeSelect } from "../components/charts/range-select.tsx";
import { FunnelCards } from "../components/pipelines/funnel-cards.tsx";
import { useFunnel } from "../components/pipelines/use-funnel.ts";
import { EmptyState, ErrorState } from "../components/shared/states.tsx";
import { WhenRead } from "../components/shared/when-read.tsx";
import { PageHeader } from "../shell/page-header.tsx";
import { text } from "../text/text.ts";
import { Panel } from "../ui/panel.tsx";
import { SkeletonRows, WhileLoading } from "../ui/skeleton.tsx";

export function PipelinesPage() {
  const { range = "1h" } = useSearch({ from: "/pipelines" });
  const navigate = useNavigate({ from: "/pipelines" });
  const { data: pipelines, isPending, error, refetch } = useQuery(wholePipelinesQuery);
  return (
    <>
      <PageHeader title={text.pipelines.title}>
        <RangeSelect range={range} onChange={(next) => void navigate({ search: { range: next } })} />
      </PageHeader>
      {isPending ? (
        <div className="panel">
          <WhileLoading>
            <SkeletonRows />
          </WhileLoading>
        </div>
      ) : pipelines === undefined ? (
        <div className="panel">
          <ErrorState error={error} onRetry={() => void refetch()} />
        </div>
      ) : pipelines.length === 0 ? (
        <div className="panel">
          <EmptyState title={text.overview.noPipelines} command={text.workers.command}>
            {text.overview.noPipelinesAdvice}
          </EmptyState>
        </div>
      ) : (
        <div className="space-y-4">
          {pipelines.map((pipeline) => (
            <PipelinePanel key={pipeline.name} pipeline={pipeline} range={range} />
          ))}
        </div>
      )}
    </>
  );
}

function PipelinePanel({ pipeline, range }: { readonly pipeline: Pipeline; readonly range: Range }) {
  const { stages, queries } = useFunnel(pipeline, range);
  return (
    <Panel
      title={
        <Link
          to="/pipelines/$name"
          params={{ name: pipeline.name }}
          search={{ range }}
          className="inline-flex items-center gap-1 rounded text-primary underline-offset-2 hover:underline"
        >
          {pipeline.name} <ChevronRight size={15} aria-hidden />
        </Link>
      }
      aside={text.pipelines.stages(pipeline.stages.length)}
    >
      <WhenRead queries={queries} skeleton={<SkeletonRows rows={1} />}>
        {() => <FunnelCards pipeline={pipeline.name} stages={stages} />}
      </WhenRead>
    </Panel>
  );
}
