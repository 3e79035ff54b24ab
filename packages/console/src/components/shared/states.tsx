import { CircleAlert, Inbox, Lock, SearchX } from "lucide-react";
import type { ReactNode } from "react";
import { ProblemError } from "../../api/problem-error.ts";
import { text } from "../../text/text.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";

export interface EmptyStateProps {
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
  /** A command that does the same in a terminal. */
  readonly command?: string;
  readonly isFiltered?: boolean;
}

/** Nothing here: one sentence, one thing to do. */
export function EmptyState({ title, children, action, command, isFiltered }: EmptyStateProps) {
  const Icon = isFiltered ? SearchX : Inbox;
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-12 text-center">
      <Icon size={28} strokeWidth={1.5} aria-hidden className="text-muted" />
      <p className="font-medium">{title}</p>
      {children !== undefined && <div className="max-w-prose text-muted">{children}</div>}
      {action !== undefined && <div className="mt-2 flex gap-2">{action}</div>}
      {command !== undefined && (
        <div className="mt-2 flex max-w-full items-center gap-1 rounded-md bg-well py-0.5 pe-0.5 ps-3 font-mono text-xs">
          <code className="truncate">{command}</code>
          <CopyButton value={command} label={text.common.copyCommand} />
        </div>
      )}
    </div>
  );
}

/** What went wrong, the number to ask about it by, and another try. */
export function ErrorState({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const problem = error instanceof ProblemError ? error : null;
  if (problem?.status === 403) return <Forbidden detail={problem.detail} />;
  return (
    <div role="alert" className="flex flex-col items-center gap-2 px-6 py-10 text-center">
      <CircleAlert size={28} strokeWidth={1.5} aria-hidden className="text-failed" />
      <p className="font-medium">{problem?.title ?? text.errors.unreachable}</p>
      <p className="max-w-prose text-muted">{problem?.detail ?? text.errors.unreachableAdvice}</p>
      {problem?.code === "query.timeout" && <p className="max-w-prose text-muted">{text.errors.narrow}</p>}
      {problem?.requestId && (
        <p className="font-mono text-xs text-muted">
          {text.errors.request} {problem.requestId}
        </p>
      )}
      {onRetry !== undefined && (
        <Button className="mt-2" onClick={onRetry}>
          {text.common.tryAgain}
        </Button>
      )}
    </div>
  );
}

export function Forbidden({ detail }: { readonly detail: string }) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-12 text-center">
      <Lock size={28} strokeWidth={1.5} aria-hidden className="text-muted" />
      <p className="font-medium">{text.errors.forbidden}</p>
      <p className="max-w-prose text-muted">{detail}</p>
    </div>
  );
}
