import type { ReactNode } from "react";
import type { Entry } from "../src/entry.ts";
import { EntryActions } from "./entry-actions.tsx";
import { EntryProgress } from "./entry-progress.tsx";
import { RelativeTime } from "./relative-time.tsx";
import { StatusBadge } from "./status-badge.tsx";

// Where there is no room for columns, a row is a card: title and actions, and below them the rest.
const columns = [
  { name: "Title", width: "" },
  { name: "Status", width: "md:w-52" },
  { name: "Progress", width: "md:w-40" },
  { name: "Result", width: "" },
  { name: "Created", width: "md:w-30" },
  { name: "Actions", width: "md:w-32", isHidden: true },
];
const card = "max-md:grid max-md:grid-cols-[1fr_auto] max-md:items-center max-md:gap-2 max-md:p-4";
const wholeLine = "max-md:col-span-2";
const skeletonRows = ["1", "2", "3", "4", "5"];

/** Five grey rows while the entries are not there yet. */
export function EntriesTable({ entries }: { entries: readonly Entry[] | null }) {
  return (
    <section
      aria-label="Entries"
      className="overflow-hidden rounded-[10px] border border-line bg-panel shadow-(--shadow)"
    >
      <table className="w-full table-fixed text-left text-sm" aria-busy={entries === null}>
        <thead className="bg-well text-muted max-md:sr-only">
          <tr>
            {columns.map(({ name, width, isHidden }) => (
              <th key={name} scope="col" className={`px-4 py-3 font-medium ${width}`}>
                <span className={isHidden ? "sr-only" : undefined}>{name}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {entries === null
            ? skeletonRows.map((row) => <SkeletonRow key={row} />)
            : entries.map((entry) => <EntryRow key={entry.id} entry={entry} />)}
        </tbody>
      </table>
    </section>
  );
}

function EntryRow({ entry }: { entry: Entry }) {
  const { id, title, status, progress, result, createdAt } = entry;
  return (
    <tr data-entry={id} className={card}>
      <Cell>
        <bdi title={title} className="block truncate font-medium">
          {title}
        </bdi>
      </Cell>
      <Cell>
        <StatusBadge status={status} />
      </Cell>
      <Cell className={wholeLine}>
        <EntryProgress title={title} percent={progress} hasFailed={status === "FAILED"} />
      </Cell>
      <Cell className={wholeLine}>
        <span title={result ?? undefined} className="block max-md:wrap-anywhere md:truncate">
          {result ?? "–"}
        </span>
      </Cell>
      <Cell className="max-md:text-xs">
        <RelativeTime at={createdAt} />
      </Cell>
      <Cell className="max-md:col-start-2 max-md:row-start-1">
        <EntryActions entry={entry} />
      </Cell>
    </tr>
  );
}

function SkeletonRow() {
  return (
    <tr data-skeleton className={card}>
      {columns.map(({ name }) => (
        <Cell key={name}>
          <div className="h-4 rounded bg-line motion-safe:animate-pulse" />
        </Cell>
      ))}
    </tr>
  );
}

function Cell({ children, className = "" }: { children: ReactNode; className?: string }) {
  return <td className={`align-middle md:px-4 md:py-3 ${className}`}>{children}</td>;
}
