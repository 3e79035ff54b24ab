"use client";

import { useCallback, useState } from "react";
import { useEntries } from "../hooks/use-entries.ts";
import { useLiveEntries } from "../hooks/use-live-entries.ts";
import { CreateEntryDialog } from "./create-entry-dialog.tsx";
import { EmptyState, NothingFound } from "./empty-state.tsx";
import { EntriesTable } from "./entries-table.tsx";
import { EntrySearch } from "./entry-search.tsx";
import { ErrorState } from "./error-state.tsx";
import { LiveMark } from "./live-mark.tsx";
import { Pager } from "./pager.tsx";

const limit = 50;

export function EntriesView() {
  const [{ offset, search }, setAsked] = useState({ offset: 0, search: "" });
  const isLive = useLiveEntries();
  const { data, error, isPending, refetch } = useEntries({ limit, offset, search }, { isLive });
  const showFirst = () => setAsked({ offset: 0, search });
  const onSearch = useCallback((text: string) => {
    setAsked((asked) => (asked.search === text ? asked : { offset: 0, search: text }));
  }, []);
  const isEmpty = data?.total === 0;

  return (
    <main className="mx-auto max-w-6xl px-4 py-8">
      <header className="mb-6 flex flex-wrap items-center gap-4">
        <h1 className="text-2xl font-semibold">Async Workflow Demo</h1>
        <LiveMark isLive={isLive} hasError={error !== null} />
        <span className="ml-auto">
          <CreateEntryDialog onCreated={showFirst} />
        </span>
      </header>
      {error !== null && (
        <ErrorState error={error} hasOldData={data !== undefined} onRetry={() => void refetch()} />
      )}
      {!(isEmpty && search === "") && <EntrySearch onSearch={onSearch} />}
      {isEmpty && search !== "" && <NothingFound search={search} />}
      {isEmpty && search === "" && (
        <EmptyState>
          <CreateEntryDialog onCreated={showFirst} />
        </EmptyState>
      )}
      {!isEmpty && (isPending || data !== undefined) && <EntriesTable entries={data?.entries ?? null} />}
      {data !== undefined && data.total > limit && (
        <Pager
          limit={limit}
          offset={offset}
          total={data.total}
          onOffset={(next) => setAsked({ offset: next, search })}
        />
      )}
    </main>
  );
}
