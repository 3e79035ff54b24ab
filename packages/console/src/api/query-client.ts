import { QueryClient } from "@tanstack/react-query";
import { ProblemError } from "./problem-error.ts";

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // A refusal will be the same again; a server that restarts will not.
      retry: (failures, error) => failures < 3 && !(error instanceof ProblemError && error.status < 500),
      retryDelay: (failures) => Math.min(8_000, 500 * 2 ** failures),
      staleTime: 1_000,
      refetchOnWindowFocus: true,
    },
  },
});
