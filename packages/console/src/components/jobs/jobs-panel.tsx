import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { JobPage } from "../../api/contract.ts";
import { ProblemError } from "../../api/problem-error.ts";
import { text } from "../../text/text.ts";
import { SkeletonRows, WhileLoading } from "../../ui/skeleton.tsx";
import { EmptyState, ErrorState } from "../shared/states.tsx";
import { JobList } from "./job-list.tsx";
import type { JobListProps } from "./job-table.tsx";
import { type LookOn, NoneSoFar } from "./look-on.tsx";

export interface JobsPanelProps {
  readonly page: UseQueryResult<JobPage>;
  readonly isLoading: boolean;
  readonly list: JobListProps;
  readonly look: LookOn;
  /** With the status of the tab. */
  readonly filter: string;
  /** What is said when no job matches. */
  readonly none: ReactNode;
}

/** The list of jobs, or why it cannot be shown. */
export function JobsPanel({ page, isLoading, list, look, filter, none }: JobsPanelProps) {
  const isEmpty = list.jobs.length === 0;
  const problem = filterProblem(page.error);
  if (isLoading)
    return (
      <WhileLoading>
        <SkeletonRows />
      </WhileLoading>
    );
  if (problem !== null)
    return (
      <EmptyState isFiltered title={text.jobs.badFilter}>
        {problem.detail}
      </EmptyState>
    );
  if (page.isError) return <ErrorState error={page.error} onRetry={() => void page.refetch()} />;
  if (isEmpty && (look.isLooking || page.data?.page.isCutShort))
    return <NoneSoFar filter={filter} scannedTo={page.data?.page.scannedTo ?? null} look={look} />;
  return isEmpty ? none : <JobList {...list} />;
}

/** Set when the server could not read the filter. */
export function filterProblem(error: unknown): ProblemError | null {
  return error instanceof ProblemError && error.code.startsWith("filter.") ? error : null;
}
