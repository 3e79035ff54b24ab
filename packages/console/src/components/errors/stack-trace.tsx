import { type ReactNode, useState } from "react";
import type { ErrorCause, JobError } from "../../api/contract.ts";
import { text } from "../../text/text.ts";
import { Button } from "../../ui/button.tsx";
import { cn } from "../../ui/cn.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { errorText } from "./error-text.ts";
import { framesOf } from "./stack-frames.ts";

/** An error's name and message, the frames of the user's own code first; below it what caused it, in the same way. */
export function StackTrace({ error }: { readonly error: JobError }) {
  return (
    <div className="rounded-md border border-failed/40 bg-well">
      <div className="flex items-start justify-between gap-2 py-1.5 pe-1.5 ps-3">
        <Headline error={error} />
        <CopyButton value={errorText(error)} label={text.job.copyError} />
      </div>
      <Frames stack={error.stack ?? ""} />
      <Causes error={error} />
    </div>
  );
}

function Headline({ error }: { readonly error: ErrorCause }) {
  return (
    <p className="min-w-0 py-1 font-mono text-xs break-words whitespace-pre-wrap">
      <strong className="text-failed">{error.name ?? "Error"}</strong>
      {error.code !== undefined && <span className="text-muted"> [{error.code}]</span>}: {error.message}
    </p>
  );
}

function Frames({ stack }: { readonly stack: string }) {
  const [isOpen, setOpen] = useState(false);
  const frames = framesOf(stack);
  const own = frames.filter(({ isOwn }) => isOwn);
  const first = own.length > 0 ? own.slice(0, 3) : frames.slice(0, 1);
  const hidden = frames.length - first.length;
  if (frames.length === 0) return null;
  return (
    <div className="border-t px-3 py-2">
      <ul className="space-y-0.5 font-mono text-xs">
        {(isOpen ? frames : first).map((frame, index) => (
          <li key={index} className={cn("break-all", !frame.isOwn && "text-muted")}>
            at {frame.call} {frame.place !== "" && <span className="text-muted">({frame.place})</span>}
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <Button
          look="quiet"
          size="small"
          className="-ms-2 mt-1"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? text.job.fewerFrames : text.job.moreFrames(hidden)}
        </Button>
      )}
    </div>
  );
}

function Causes({ error }: { readonly error: ErrorCause }) {
  const { cause, hasMoreCauses, errors = [], moreErrors = 0 } = error;
  return (
    <>
      {cause !== undefined && <Cause title={text.job.causedBy} error={cause} />}
      {hasMoreCauses && <Missing>{text.job.moreCauses}</Missing>}
      {errors.map((one, index) => (
        <Cause key={index} title={text.job.oneOfErrors} error={one} />
      ))}
      {moreErrors > 0 && <Missing>{text.job.moreErrors(moreErrors)}</Missing>}
    </>
  );
}

function Cause({ title, error }: { readonly title: string; readonly error: ErrorCause }) {
  return (
    <section aria-label={title} className="border-t">
      <div className="px-3 pt-2 pb-1">
        <h4 className="text-xs font-medium text-muted">{title}</h4>
        <Headline error={error} />
      </div>
      <Frames stack={error.stack ?? ""} />
      <Causes error={error} />
    </section>
  );
}

function Missing({ children }: { readonly children: ReactNode }) {
  return <p className="border-t px-3 py-2 text-xs text-muted">{children}</p>;
}
