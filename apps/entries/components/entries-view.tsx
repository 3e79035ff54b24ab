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
    <>
      <header className="sticky top-0 z-10 flex flex-wrap items-center gap-x-4 gap-y-2 border-line border-b bg-panel px-[clamp(1rem,4vw,2rem)] py-2.5">
        <h1 className="flex items-center gap-2.5 font-bold">
          <img src="/icon.svg" alt="" width="24" height="24" className="max-sm:hidden" />
          Async Workflow Demo
        </h1>
        <LiveMark isLive={isLive} hasError={error !== null} />
        <span className="ml-auto">
          <CreateEntryDialog onCreated={showFirst} />
        </span>
      </header>
      <main className="mx-auto max-w-272 px-[clamp(1rem,4vw,2rem)] py-5">
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
    </>
  );
}
