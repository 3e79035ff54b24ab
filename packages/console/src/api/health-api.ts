import { queryOptions } from "@tanstack/react-query";
import { apiBase } from "./base-path.ts";
import type { Health } from "./contract.ts";
import { ProblemError } from "./problem-error.ts";

export const healthQuery = queryOptions({
  queryKey: ["health"],
  queryFn: async ({ signal }): Promise<Health> => {
    const response = await fetch(`${apiBase}/health`, { signal, headers: { accept: "application/json" } });
    const body: unknown = await response.json();
    // Not well answers 503 and tells why: that is what the page is for.
    if (typeof body === "object" && body !== null && "ok" in body) return body as Health;
    throw new ProblemError(response.status, body as object);
  },
  refetchInterval: 30_000,
});
