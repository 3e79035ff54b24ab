import { Plus } from "lucide-react";
import type { JobStatus } from "../../api/contract.ts";
import { openNewJob } from "../../shell/new-job-layer.ts";
import { text } from "../../text/text.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../shared/states.tsx";

export interface NoJobsProps {
  readonly filter: string;
  readonly status: JobStatus | undefined;
  readonly onClear: () => void;
  readonly mayAdd: boolean;
}

/** Why the list is empty, and what to do about it. */
export function NoJobs({ filter, status, onClear, mayAdd }: NoJobsProps) {
  if (filter !== "") {
    return (
      <EmptyState
        isFiltered
        title={text.jobs.filteredTitle}
        action={<Button onClick={onClear}>{text.jobs.clear}</Button>}
      >
        {text.jobs.filteredAdvice(filter)}
      </EmptyState>
    );
  }
  if (status !== undefined)
    return <EmptyState isFiltered title={text.jobs.noSuchStatus(text.status[status])} />;
  const add = (
    <Button look="primary" onClick={() => openNewJob({})}>
      <Plus size={16} aria-hidden /> {text.jobs.add}
    </Button>
  );
  return (
    <EmptyState
      title={text.jobs.emptyTitle}
      command={text.jobs.emptyCommand}
      action={mayAdd ? add : undefined}
    >
      {text.jobs.emptyAdvice}
    </EmptyState>
  );
}
