import type { ReactNode } from "react";
import type { Entry } from "../src/entry.ts";
import { EntryProgress } from "./entry-progress.tsx";
import { RelativeTime } from "./relative-time.tsx";
import { StatusBadge } from "./status-badge.tsx";

const columns = ["Title", "Status", "Progress", "Result", "Created"];
const skeletonRows = ["1", "2", "3", "4", "5"];

/** Five grey rows while the entries are not there yet. */
export function EntriesTable({ entries }: { entries: readonly Entry[] | null }) {
  return (
    <section
      aria-label="Entries"
      className="overflow-x-auto rounded-lg border border-slate-200 dark:border-slate-800"
    >
      <table className="w-full min-w-3xl table-fixed text-left text-sm" aria-busy={entries === null}>
        <thead className="bg-slate-50 text-slate-600 dark:bg-slate-900 dark:text-slate-400">
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col" className="px-4 py-3 font-medium">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-slate-200 dark:divide-slate-800">
          {entries === null
            ? skeletonRows.map((row) => <SkeletonRow key={row} />)
            : entries.map((entry) => <EntryRow key={entry.id} entry={entry} />)}
        </tbody>
      </table>
    </section>
  );
}

function EntryRow({ entry }: { entry: Entry }) {
  return (
    <tr data-entry={entry.id}>
      <Cell>
        <bdi title={entry.title} className="block truncate font-medium">
          {entry.title}
        </bdi>
      </Cell>
      <Cell>
        <StatusBadge status={entry.status} />
      </Cell>
      <Cell>
        <EntryProgress title={entry.title} percent={entry.progress} hasFailed={entry.status === "FAILED"} />
      </Cell>
      <Cell>
        <span title={entry.result ?? undefined} className="block truncate">
          {entry.result ?? "–"}
        </span>
      </Cell>
      <Cell>
        <RelativeTime at={entry.createdAt} />
      </Cell>
    </tr>
  );
}

function SkeletonRow() {
  return (
    <tr data-skeleton>
      {columns.map((column) => (
        <Cell key={column}>
          <div className="h-4 rounded bg-slate-200 motion-safe:animate-pulse dark:bg-slate-800" />
        </Cell>
      ))}
    </tr>
  );
}

function Cell({ children }: { children: ReactNode }) {
  return <td className="px-4 py-3 align-middle">{children}</td>;
}
