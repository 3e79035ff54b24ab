"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { postEntry } from "./entries-api.ts";

export function useCreateEntry() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: postEntry,
    onSuccess: () => queries.invalidateQueries({ queryKey: ["entries"] }),
  });
}
