import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { SkeletonRows, WhileLoading } from "../../ui/skeleton.tsx";
import { ErrorState } from "./states.tsx";

export interface QueryPanelProps<Data> {
  readonly query: UseQueryResult<Data>;
  readonly children: (data: Data) => ReactNode;
}

/** A panel that waits for one answer: its skeleton, its error, or what came. */
export function QueryPanel<Data>({ query, children }: QueryPanelProps<Data>) {
  return (
    <div className="panel overflow-clip">
      {query.data !== undefined ? (
        children(query.data)
      ) : query.isError ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <WhileLoading>
          <SkeletonRows />
        </WhileLoading>
      )}
    </div>
  );
}
