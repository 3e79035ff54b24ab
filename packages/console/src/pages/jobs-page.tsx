import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { ArrowUp, ChevronLeft, ChevronRight, Plus } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { BulkStart } from "../api/bulk-api.ts";
import { isFinished, type JobStatus } from "../api/contract.ts";
import { countsQuery, jobKeys, jobsQuery, pageSize } from "../api/jobs-api.ts";
import { useMay } from "../api/me-api.ts";
import { pipelinesQuery, statsQuery } from "../api/pipelines-api.ts";
import { ProblemError } from "../api/problem-error.ts";
import { workersQuery } from "../api/workers-api.ts";
import { BulkBar } from "../components/bulk-bar.tsx";
import { BulkDialog } from "../components/bulk-dialog.tsx";
import { countText } from "../components/count-label.tsx";
import { FilterBox } from "../components/filter-box.tsx";
import { qualifier } from "../components/filter-words.ts";
import { JobList } from "../components/job-list.tsx";
import { focusedJob, focusNeighbour, type JobListProps } from "../components/job-table.tsx";
import { wholeFilter } from "../components/jobs-search.ts";
import { countsFromStats, jobContext } from "../components/jobs-view.ts";
import { EmptyState, ErrorState } from "../components/states.tsx";
import { StatusTabs } from "../components/status-tabs.tsx";
import { ViewControls } from "../components/view-controls.tsx";
import { usePollMs } from "../live/live-status.ts";
import { newJobs, useNewJobs } from "../live/new-jobs.ts";
import { useLive } from "../live/use-live.ts";
import { openNewJob } from "../shell/new-job-layer.ts";
import { PageHeader } from "../shell/page-header.tsx";
import { useShortcut } from "../shell/shortcuts.ts";
import { text } from "../text/text.ts";
import { Button } from "../ui/button.tsx";
import { SkeletonRows, WhileLoading } from "../ui/skeleton.tsx";

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
  const unfinished = jobs.filter((job) => !isFinished(job.status)).map(({ id }) => id);
  const newest =
    jobs
      .map(({ id }) => id)
      .sort()
      .at(-1) ?? "";
  useLive({
    topics: cursor === undefined && page.isSuccess && !page.isPlaceholderData ? ["list"] : [],
    watch: isSelecting ? [] : unfinished,
    filter,
    ...(newest === "" ? {} : { newest }),
  });

  useShortcut("j", () => focusNeighbour(1));
  useShortcut("k", () => focusNeighbour(-1));
  useShortcut("x", () => {
    const id = focusedJob();
    if (id !== null)
      selection.toggle(
        id,
        false,
        jobs.map((job) => job.id),
      );
  });

  const go = (next: { status?: JobStatus | undefined; filter?: string; cursor?: string | null }) => {
    const kept = { ...(status === undefined ? {} : { status }), ...(words === "" ? {} : { filter: words }) };
    const { cursor: nextCursor, ...rest } = next;
    void navigate({
      to: "/jobs",
      search: { ...kept, ...rest, ...(nextCursor ? { cursor: nextCursor } : {}) },
    });
  };
  const onFilter = (text: string) => {
    // One status in words is a tab.
    const said = qualifier(text, "status");
    const isTab =
      said !== null && /^(scheduled|pending|processing|retrying|completed|failed|cancelled)$/.test(said);
    const rest = isTab ? text.replace(/(^|\s)status:\S+/, "").trim() : text;
    void navigate({
      to: "/jobs",
      search: {
        ...(isTab ? { status: said as JobStatus } : status === undefined ? {} : { status }),
        ...(rest === "" ? {} : { filter: rest }),
      },
    });
  };
  const showNew = () => {
    newJobs.set(0);
    if (cursor !== undefined) go({ cursor: null });
    void client.invalidateQueries({ queryKey: jobKeys.all });
  };
  const start = (action: "retry" | "cancel") =>
    setBulk(
      selection.isAllMatching
        ? { action, filter: filter === "" ? allFor(action) : filter }
        : { action, ids: [...selection.ids] },
    );

  const problem =
    page.error instanceof ProblemError && page.error.code.startsWith("filter.") ? page.error : null;
  const list = {
    jobs,
    context: jobContext(pipelines, workers),
    selected: selection.ids,
    onSelect:
      mayCancel || mayRetry
        ? (id: string, isRange: boolean) =>
            selection.toggle(
              id,
              isRange,
              jobs.map((job) => job.id),
            )
        : null,
    onSelectAll: () => selection.toggleAll(jobs.map((job) => job.id)),
    isStale: page.isPlaceholderData,
    time: timeOf(status),
  };

  return (
    <>
      <PageHeader title={text.jobs.title}>
        {mayAdd && (
          <Button
            look="primary"
            onClick={() =>
              openNewJob({
                ...(qualifier(words, "pipeline") === null
                  ? {}
                  : { pipeline: qualifier(words, "pipeline") ?? "" }),
              })
            }
          >
            <Plus size={16} aria-hidden /> {text.jobs.add}
          </Button>
        )}
      </PageHeader>
      <div className="space-y-3">
        <StatusTabs chosen={status} counts={counts} filter={words} />
        <div className="flex flex-col gap-2 sm:flex-row sm:items-start">
          <FilterBox
            filter={words}
            onChange={onFilter}
            known={{ pipelines }}
            problem={problem?.detail ?? null}
          />
          <ViewControls search={search} onOpen={(view) => void navigate({ to: "/jobs", search: view })} />
        </div>
        <div className="panel relative overflow-clip">
          {page.isFetching && !page.isPending && (
            <div aria-hidden className="absolute inset-x-0 top-0 z-10 h-0.5 overflow-hidden">
              <div className="h-full w-1/4 animate-sweep bg-primary" />
            </div>
          )}
          <NewItemsPill isShown={!isSelecting && cursor === undefined} onShow={showNew} />
          {page.isPending || isOther ? (
            <WhileLoading>
              <SkeletonRows />
            </WhileLoading>
          ) : page.isError && problem === null ? (
            <ErrorState error={page.error} onRetry={() => void page.refetch()} />
          ) : problem !== null ? (
            <EmptyState isFiltered title={text.jobs.badFilter}>
              {problem.detail}
            </EmptyState>
          ) : jobs.length === 0 ? (
            <NoJobs
              filter={words}
              status={status}
              onClear={() => void navigate({ to: "/jobs", search: {} })}
              mayAdd={mayAdd}
            />
          ) : (
            <JobList {...list} />
          )}
          {jobs.length > 0 && (
            <footer className="flex flex-wrap items-center gap-2 border-t px-4 py-2 text-table text-muted">
              <Button
                size="small"
                disabled={!page.data?.page.previous}
                onClick={() => go({ cursor: page.data?.page.previous ?? null })}
              >
                <ChevronLeft size={14} aria-hidden /> {text.jobs.newer}
              </Button>
              <Button
                size="small"
                disabled={!page.data?.page.next}
                onClick={() => go({ cursor: page.data?.page.next ?? null })}
              >
                {text.jobs.older} <ChevronRight size={14} aria-hidden />
              </Button>
              <span className="ms-auto">
                {text.jobs.rows(jobs.length)}
                {page.data?.count !== undefined &&
                  jobs.length >= Math.min(pageSize, page.data.count.value) &&
                  ` · ${text.jobs.matching(countText(page.data.count))}`}
              </span>
            </footer>
          )}
        </div>
        {isSelecting && (
          <BulkBar
            selected={selection.ids.size}
            isAllMatching={selection.isAllMatching}
            matching={page.data?.count}
            onAllMatching={selection.selectMatching}
            onClear={selection.clear}
            onRetry={mayRetry ? () => start("retry") : null}
            onCancel={mayCancel ? () => start("cancel") : null}
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

function NewItemsPill({ isShown, onShow }: { readonly isShown: boolean; readonly onShow: () => void }) {
  const count = useNewJobs();
  if (!isShown || count === 0) return null;
  return (
    <div className="border-b bg-selected px-4 py-1.5 text-center">
      <Button look="quiet" size="small" onClick={onShow} className="text-primary">
        <ArrowUp size={14} aria-hidden /> {text.jobs.newJobs(count)}
      </Button>
    </div>
  );
}

interface NoJobsProps {
  readonly filter: string;
  readonly status: JobStatus | undefined;
  readonly onClear: () => void;
  readonly mayAdd: boolean;
}

function NoJobs({ filter, status, onClear, mayAdd }: NoJobsProps) {
  if (filter !== "") {
    return (
      <EmptyState
        isFiltered
        title={text.jobs.filteredTitle}
        action={<Button onClick={onClear}>{text.jobs.clear}</Button>}
      >
        {text.jobs.filteredAdvice(filter)}
      </EmptyState>
    );
  }
  if (status !== undefined)
    return <EmptyState isFiltered title={text.jobs.noSuchStatus(text.status[status])} />;
  const add = (
    <Button look="primary" onClick={() => openNewJob({})}>
      <Plus size={16} aria-hidden /> {text.jobs.add}
    </Button>
  );
  return (
    <EmptyState
      title={text.jobs.emptyTitle}
      command={text.jobs.emptyCommand}
      action={mayAdd ? add : undefined}
    >
      {text.jobs.emptyAdvice}
    </EmptyState>
  );
}

/** From the counters when the filter is one they know; else counted, up to a cap, now and then. */
function useCounts(words: string) {
  const stats = useQuery(statsQuery).data;
  const fromStats = stats === undefined ? null : countsFromStats(stats, words);
  const counted = useQuery({
    ...countsQuery(words),
    enabled: stats !== undefined && fromStats === null,
    refetchInterval: 15_000,
  });
  return fromStats ?? counted.data ?? {};
}

/** The list shows the time by which it is sorted. */
function timeOf(status: JobStatus | undefined): JobListProps["time"] {
  if (status === "failed" || status === "cancelled")
    return { name: text.jobs.finished, at: (job) => job.finishedAt };
  if (status === "processing") return { name: text.jobs.claimed, at: (job) => job.claimedAt };
  return { name: text.jobs.added, at: (job) => job.addedAt };
}

/** A bulk action needs to be told which jobs it means, also when it means all it can do something to. */
function allFor(action: "retry" | "cancel"): string {
  return action === "retry" ? "status:failed,cancelled" : "status:scheduled,pending,processing,retrying";
}

/** Each status in the order in which its jobs matter. */
function sortOf(status: JobStatus | undefined): string | undefined {
  if (status === "failed" || status === "cancelled") return "-finishedAt";
  if (status === "scheduled" || status === "retrying") return "scheduledFor";
  return status === "processing" ? "claimedAt" : undefined;
}

/** A refetch never clears it; another list does. */
function useSelection(list: string) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [isAllMatching, setAllMatching] = useState(false);
  const last = useRef<string | null>(null);
  const clear = () => {
    setIds(new Set());
    setAllMatching(false);
  };
  // It is another list that clears it.
  useEffect(clear, [list]);
  return {
    ids,
    isAllMatching,
    clear,
    selectMatching: () => setAllMatching(true),
    toggle(id: string, isRange: boolean, order: readonly string[]) {
      const next = new Set(ids);
      const from = last.current === null ? -1 : order.indexOf(last.current);
      if (isRange && from !== -1) {
        const to = order.indexOf(id);
        for (const each of order.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(each);
      } else if (!next.delete(id)) next.add(id);
      last.current = id;
      setAllMatching(false);
      setIds(next);
    },
    toggleAll(order: readonly string[]) {
      setAllMatching(false);
      setIds(order.every((id) => ids.has(id)) ? new Set() : new Set(order));
    },
  };
}
