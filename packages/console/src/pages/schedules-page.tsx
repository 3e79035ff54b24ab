import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Pause, Play } from "lucide-react";
import type { Schedule } from "../api/contract.ts";
import { useMay } from "../api/me-api.ts";
import { pauseSchedule, resumeSchedule, schedulesQuery } from "../api/schedules-api.ts";
import { cronInWords } from "../components/schedules/cron-words.ts";
import { DataTable } from "../components/shared/data-table.tsx";
import { QueryPanel } from "../components/shared/query-panel.tsx";
import { RelativeTime } from "../components/shared/relative-time.tsx";
import { EmptyState } from "../components/shared/states.tsx";
import { StatusBadge } from "../components/shared/status-badge.tsx";
import { tellFailure } from "../components/shared/tell-failure.ts";
import { formatDay } from "../format/time.ts";
import { useSettings } from "../settings/settings.ts";
import { PageHeader } from "../shell/page-header.tsx";
import { text } from "../text/text.ts";
import { Button } from "../ui/button.tsx";
import { toast } from "../ui/toasts.ts";

export function SchedulesPage() {
  const query = useQuery({ ...schedulesQuery, refetchInterval: 15_000 });
  return (
    <>
      <PageHeader title={text.schedules.title} />
      <QueryPanel query={query}>
        {(schedules) =>
          schedules.length === 0 ? (
            <EmptyState title={text.schedules.none}>{text.schedules.noneAdvice}</EmptyState>
          ) : (
            <ScheduleTable schedules={schedules} />
          )
        }
      </QueryPanel>
    </>
  );
}

function ScheduleTable({ schedules }: { readonly schedules: readonly Schedule[] }) {
  const client = useQueryClient();
  const { timeZone } = useSettings();
  const mayChange = useMay("schedules.change");
  const steer = useMutation({
    mutationFn: ({ name, pausedAt }: Schedule) =>
      pausedAt === null ? pauseSchedule(name) : resumeSchedule(name),
    onSuccess: (_, { name, pausedAt }) => {
      toast({
        kind: "done",
        message: pausedAt === null ? text.schedules.pausedToast(name) : text.schedules.resumedToast(name),
      });
      void client.invalidateQueries({ queryKey: schedulesQuery.queryKey });
    },
    onError: tellFailure,
  });
  return (
    <DataTable
      label={text.schedules.title}
      rows={schedules}
      rowKey={({ name }) => name}
      columns={[
        {
          name: text.schedules.name,
          isHeader: true,
          cell: ({ name, pipeline }) => (
            <>
              <span className="font-medium whitespace-nowrap">{name}</span>
              <Link
                to="/pipelines/$name"
                params={{ name: pipeline }}
                className="block text-xs whitespace-nowrap text-muted hover:underline"
              >
                {pipeline}
              </Link>
            </>
          ),
        },
        {
          name: text.schedules.rule,
          cell: ({ cron, timeZone: zone }) => (
            <>
              <span>{cronInWords(cron)}</span>
              <span className="block font-mono text-xs text-muted">
                {cron} · {zone}
              </span>
            </>
          ),
        },
        {
          name: text.schedules.next,
          cell: ({ nextRuns }) =>
            nextRuns.length === 0 ? (
              <span className="text-muted">–</span>
            ) : (
              <ul className="text-xs whitespace-nowrap">
                {nextRuns.slice(0, 3).map((at, index) => (
                  <li key={at} className={index === 0 ? "text-table" : "text-muted"}>
                    <time dateTime={at}>{formatDay(new Date(at), timeZone)}</time>
                  </li>
                ))}
              </ul>
            ),
        },
        {
          name: text.schedules.last,
          cell: ({ lastAt, lastJobId }) =>
            lastAt === null || lastJobId === null ? (
              <span className="whitespace-nowrap text-muted">{text.schedules.never}</span>
            ) : (
              <Link to="/jobs/$id" params={{ id: lastJobId }} className="text-primary hover:underline">
                <RelativeTime at={lastAt} />
              </Link>
            ),
        },
        {
          name: text.schedules.state,
          cell: ({ pausedAt, problem }) =>
            problem !== null ? (
              <span className="text-failed">
                {text.schedules.problem}: {problem}
              </span>
            ) : pausedAt !== null ? (
              <StatusBadge status="paused" />
            ) : (
              text.schedules.active
            ),
        },
        ...(mayChange
          ? [
              {
                name: <span className="sr-only">{text.schedules.actions}</span>,
                isRight: true,
                cell: (schedule: Schedule) => {
                  const isPaused = schedule.pausedAt !== null;
                  const Icon = isPaused ? Play : Pause;
                  const word = isPaused ? text.schedules.resume : text.schedules.pause;
                  return (
                    <Button
                      size="small"
                      aria-label={`${word} ${schedule.name}`}
                      onClick={() => steer.mutate(schedule)}
                    >
                      <Icon size={13} aria-hidden /> {word}
                    </Button>
                  );
                },
              },
            ]
          : []),
      ]}
    />
  );
}
