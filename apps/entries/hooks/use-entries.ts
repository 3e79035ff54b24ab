"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type EntryPage, isFinished } from "../src/entry.ts";
import { type AskedPage, fetchEntries } from "./entries-api.ts";

const pollMs = 2_000;
/** While the stream is open: for what ends without a stage that tells it, such as a job cancelled by an operator. */
const checkMs = 15_000;

/** A page of entries: polled every two seconds, unless updates arrive by themselves. */
export function useEntries(page: AskedPage, { isLive }: { isLive: boolean }) {
  return useQuery<EntryPage>({
    queryKey: ["entries", page],
    queryFn: ({ signal }) => fetchEntries(page, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => {
      if (!isLive) return pollMs;
      return state.data?.entries.every(isFinished) && state.status !== "error" ? false : checkMs;
    },
  });
}
