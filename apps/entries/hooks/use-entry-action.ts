"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { toast } from "sonner";
import type { Entry } from "../src/entry.ts";
import { problemOf } from "./entries-api.ts";

/** Does something to an entry, says what came of it, and reads the table again: a refusal means that it has changed. */
export function useEntryAction(act: (entry: Entry) => Promise<void>, done: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: () => void toast.success(done),
    onError: (error) => void toast.error(problemOf(error)),
    onSettled: () => queries.invalidateQueries({ queryKey: ["entries"] }),
  });
}
