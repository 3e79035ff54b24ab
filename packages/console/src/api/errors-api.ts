import { queryOptions } from "@tanstack/react-query";
import { get } from "./api-client.ts";

/** Failed jobs whose errors are alike. */
export interface ErrorGroup {
  readonly fingerprint: string;
  readonly pipeline: string;
  readonly stage: string;
  readonly name: string;
  readonly message: string;
  readonly count: number;
  readonly firstSeenAt: string;
  readonly lastSeenAt: string;
  readonly sampleJobId: string;
}

export interface ErrorGroups {
  readonly data: readonly ErrorGroup[];
  readonly isCapped: boolean;
}

export const errorsQuery = queryOptions({
  queryKey: ["errors"],
  queryFn: ({ signal }) => get<ErrorGroups>("/errors", {}, signal),
  refetchInterval: 15_000,
});
