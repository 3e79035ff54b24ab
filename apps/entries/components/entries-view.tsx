"use client";

import { useState } from "react";
import { useEntries } from "../hooks/use-entries.ts";
import { useLiveEntries } from "../hooks/use-live-entries.ts";
import { CreateEntryDialog } from "./create-entry-dialog.tsx";
import { EmptyState } from "./empty-state.tsx";
import { EntriesTable } from "./entries-table.tsx";
import { ErrorState } from "./error-state.tsx";
import { LiveMark } from "./live-mark.tsx";
import { Pager } from "./pager.tsx";

const limit = 50;

export function EntriesView() {
  const [offset, setOffset] = useState(0);
  const isLive = useLiveEntries();
  const { data, error, isPending, refetch } = useEntries({ limit, offset }, { isLive });

  return (
    <main className="mx-auto max-w-6xl px-4 py-8">
      <header className="mb-6 flex flex-wrap items-center gap-4">
        <h1 className="text-2xl font-semibold">Entries</h1>
        <LiveMark isLive={isLive} hasError={error !== null} />
        <span className="ml-auto">
          <CreateEntryDialog onCreated={() => setOffset(0)} />
        </span>
      </header>
      {error !== null && (
        <ErrorState error={error} hasOldData={data !== undefined} onRetry={() => void refetch()} />
      )}
      {data?.total === 0 ? (
        <EmptyState>
          <CreateEntryDialog onCreated={() => setOffset(0)} />
        </EmptyState>
      ) : (
        (isPending || data !== undefined) && <EntriesTable entries={data?.entries ?? null} />
      )}
      {data !== undefined && data.total > limit && (
        <Pager limit={limit} offset={offset} total={data.total} onOffset={setOffset} />
      )}
    </main>
  );
}
