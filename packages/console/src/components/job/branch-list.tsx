import { Link } from "@tanstack/react-router";
import type { Branch } from "../../api/contract.ts";
import { text } from "../../text/text.ts";
import { StatusIcon } from "../shared/status-badge.tsx";

/** The children of one stage, each a link to its job. */
export function BranchList({
  stage,
  branches,
}: {
  readonly stage: string;
  readonly branches: readonly Branch[];
}) {
  return (
    <ul aria-label={text.job.branchesOf(stage)} className="mt-1 space-y-0.5 border-s ps-3 text-xs sm:ms-7">
      {branches.map(({ jobId, branch, status }) => {
        const name = branch ?? text.job.onlyChild;
        return (
          <li key={jobId} className="flex items-center gap-1.5 whitespace-nowrap">
            {status === null ? (
              <span className="text-muted">
                {name} · {text.job.goneBranch}
              </span>
            ) : (
              <>
                <StatusIcon status={status} size={13} />
                <Link
                  to="/jobs/$id"
                  params={{ id: jobId }}
                  className="inline-flex min-h-6 items-center rounded text-primary hover:underline"
                >
                  {name}
                </Link>
                <span className="text-muted">{text.status[status]}</span>
              </>
            )}
          </li>
        );
      })}
    </ul>
  );
}
