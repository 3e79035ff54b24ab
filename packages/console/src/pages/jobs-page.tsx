import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import type { BulkStart } from "../api/bulk-api.ts";
import { isFinished } from "../api/contract.ts";
import { jobKeys, jobsQuery } from "../api/jobs-api.ts";
import { useMay } from "../api/me-api.ts";
import { pipelinesQuery } from "../api/pipelines-api.ts";
import { workersQuery } from "../api/workers-api.ts";
import { BulkBar } from "../components/bulk/bulk-bar.tsx";
import { BulkDialog } from "../components/bulk/bulk-dialog.tsx";
import { selectedStart } from "../components/bulk/selected-start.ts";
import { FilterBox } from "../components/jobs/filter-box.tsx";
import { qualifier } from "../components/jobs/filter-words.ts";
import { sortOf, timeOf } from "../components/jobs/job-order.ts";
import { focusedJob, focusNeighbour } from "../components/jobs/job-table.tsx";
import { JobsPager } from "../components/jobs/jobs-pager.tsx";
import { filterProblem, JobsPanel } from "../components/jobs/jobs-panel.tsx";
import { wholeFilter, writtenSearch } from "../components/jobs/jobs-search.ts";
import { jobContext } from "../components/jobs/jobs-view.ts";
import { useLookOn } from "../components/jobs/look-on.tsx";
import { NewJobsPill } from "../components/jobs/new-jobs-pill.tsx";
import { NoJobs } from "../components/jobs/no-jobs.tsx";
import { StatusTabs } from "../components/jobs/status-tabs.tsx";
import { useCounts } from "../components/jobs/use-counts.ts";
import { useSelection } from "../components/jobs/use-selection.ts";
import { ViewControls } from "../components/jobs/view-controls.tsx";
import { usePollMs } from "../live/live-status.ts";
import { newJobs } from "../live/new-jobs.ts";
import { useLive } from "../live/use-live.ts";
import { openNewJob } from "../shell/new-job-layer.ts";
import { PageHeader } from "../shell/page-header.tsx";
import { useShortcut } from "../shell/shortcuts.ts";
import { text } from "../text/text.ts";
import { Button } from "../ui/button.tsx";

export function JobsPage() {
  const search = useSearch({ from: "/jobs" });
  const navigate = useNavigate({ from: "/jobs" });
  const client = useQueryClient();
  const mayAdd = useMay("jobs.add");
  const mayCancel = useMay("jobs.cancel");
  const mayRetry = useMay("jobs.retry");
  const { status, filter: words = "", cursor } = search;
  const filter = wholeFilter(search);

  const selection = useSelection(filter);
  const isSelecting = selection.ids.size > 0;
  const [bulk, setBulk] = useState<BulkStart | null>(null);

  const pollMs = usePollMs(isSelecting);
  const page = useQuery({
    ...jobsQuery({ filter, cursor, sort: sortOf(status) }),
    refetchInterval: pollMs,
    refetchOnWindowFocus: !isSelecting,
  });
  const pipelines = useQuery(pipelinesQuery).data ?? [];
  const workers = useQuery(workersQuery).data ?? [];
  const counts = useCounts(words);
  // Another status's rows would be wrong under this tab; an older page of the same one would not.
  const isOther =
    page.isPlaceholderData && page.data?.data.some((job) => status !== undefined && job.status !== status);
  const jobs = isOther ? [] : (page.data?.data ?? []);
  const ids = jobs.map(({ id }) => id);
  const newest = ids.toSorted().at(-1) ?? "";
  useLive({
    topics: cursor === undefined && page.isSuccess && !page.isPlaceholderData ? ["list"] : [],
    watch: isSelecting ? [] : jobs.filter((job) => !isFinished(job.status)).map(({ id }) => id),
    filter,
    ...(newest === "" ? {} : { newest }),
  });

  const goTo = (next: string | null, replace = false) => {
    const { cursor: _, ...kept } = search;
    void navigate({ to: "/jobs", search: { ...kept, ...(next ? { cursor: next } : {}) }, replace });
  };
  const info = isOther || page.isPlaceholderData ? undefined : page.data?.page;
  const look = useLookOn(info, jobs.length, filter, (next) => goTo(next, true));

  useShortcut("j", () => focusNeighbour(1));
  useShortcut("k", () => focusNeighbour(-1));
  useShortcut("x", () => {
    const id = focusedJob();
    if (id !== null) selection.toggle(id, false, ids);
  });

  const showNew = () => {
    newJobs.set(0);
    if (cursor !== undefined) goTo(null);
    void client.invalidateQueries({ queryKey: jobKeys.all });
  };
  const pipeline = qualifier(words, "pipeline");

  return (
    <>
      <PageHeader title={text.jobs.title}>
        {mayAdd && (
          <Button look="primary" onClick={() => openNewJob(pipeline === null ? {} : { pipeline })}>
            <Plus size={16} aria-hidden /> {text.jobs.add}
          </Button>
        )}
      </PageHeader>
      <div className="space-y-3">
        <StatusTabs chosen={status} counts={counts} filter={words} />
        <div className="flex flex-col gap-2 sm:flex-row sm:items-start">
          <FilterBox
            filter={words}
            onChange={(written) => void navigate({ to: "/jobs", search: writtenSearch(written, status) })}
            known={{ pipelines }}
            problem={filterProblem(page.error)?.detail ?? null}
          />
          <ViewControls search={search} onOpen={(view) => void navigate({ to: "/jobs", search: view })} />
        </div>
        <div className="panel relative overflow-clip">
          {page.isFetching && !page.isPending && (
            <div aria-hidden className="absolute inset-x-0 top-0 z-10 h-0.5 overflow-hidden">
              <div className="h-full w-1/4 animate-sweep bg-primary" />
            </div>
          )}
          <NewJobsPill isShown={!isSelecting && cursor === undefined} onShow={showNew} />
          <JobsPanel
            page={page}
            isLoading={page.isPending || isOther === true}
            list={{
              jobs,
              context: jobContext(pipelines, workers),
              selected: selection.ids,
              onSelect: mayCancel || mayRetry ? (id, isRange) => selection.toggle(id, isRange, ids) : null,
              onSelectAll: () => selection.toggleAll(ids),
              isStale: page.isPlaceholderData,
              time: timeOf(status),
            }}
            look={look}
            filter={filter}
            none={
              <NoJobs
                filter={words}
                status={status}
                onClear={() => void navigate({ to: "/jobs", search: {} })}
                mayAdd={mayAdd}
              />
            }
          />
          {(jobs.length > 0 || cursor !== undefined) && (
            <JobsPager page={page.data} rows={jobs.length} onPage={(next) => goTo(next)} />
          )}
        </div>
        {isSelecting && (
          <BulkBar
            selected={selection.ids.size}
            isAllMatching={selection.isAllMatching}
            matching={page.data?.count}
            onAllMatching={selection.selectMatching}
            onClear={selection.clear}
            onRetry={mayRetry ? () => setBulk(selectedStart("retry", selection, filter)) : null}
            onCancel={mayCancel ? () => setBulk(selectedStart("cancel", selection, filter)) : null}
          />
        )}
      </div>
      {bulk !== null && (
        <BulkDialog
          start={bulk}
          onClose={() => setBulk(null)}
          onStarted={() => {
            setBulk(null);
            selection.clear();
          }}
        />
      )}
    </>
  );
}
