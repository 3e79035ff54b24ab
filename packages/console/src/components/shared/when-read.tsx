import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { WhileLoading } from "../../ui/skeleton.tsx";
import { ErrorState } from "./states.tsx";

export type Reading = Pick<UseQueryResult, "data" | "error" | "refetch">;

export interface WhenReadProps {
  readonly queries: readonly Reading[];
  readonly skeleton: ReactNode;
  readonly children: () => ReactNode;
}

/** A part of a page that waits for several answers: never a number before it is known, nor instead of an error. */
export function WhenRead({ queries, skeleton, children }: WhenReadProps) {
  const failed = queries.filter(({ data, error }) => data === undefined && error !== null);
  const [first] = failed;
  if (first !== undefined) {
    return (
      <ErrorState
        error={first.error}
        onRetry={() => {
          for (const { refetch } of failed) void refetch();
        }}
      />
    );
  }
  if (!areRead(queries)) return <WhileLoading>{skeleton}</WhileLoading>;
  return children();
}

export function areRead(queries: readonly Reading[]): boolean {
  return queries.every(({ data }) => data !== undefined);
}
