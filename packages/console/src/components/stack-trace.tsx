import { useState } from "react";
import type { JobError } from "../api/contract.ts";
import { text } from "../text/text.ts";
import { Button } from "../ui/button.tsx";
import { cn } from "../ui/cn.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { framesOf } from "./stack-frames.ts";

/** An error's name and message, the frames of the user's own code first. */
export function StackTrace({ error }: { readonly error: JobError }) {
  const [isOpen, setOpen] = useState(false);
  const frames = framesOf(error.stack ?? "");
  const own = frames.filter(({ isOwn }) => isOwn);
  const first = own.length > 0 ? own.slice(0, 3) : frames.slice(0, 1);
  const hidden = frames.length - first.length;
  return (
    <div className="rounded-md border border-failed/40 bg-well">
      <div className="flex items-start justify-between gap-2 py-1.5 pe-1.5 ps-3">
        <p className="min-w-0 py-1 font-mono text-xs break-words whitespace-pre-wrap">
          <strong className="text-failed">{error.name ?? "Error"}</strong>
          {error.code !== undefined && <span className="text-muted"> [{error.code}]</span>}: {error.message}
        </p>
        <CopyButton value={error.stack ?? `${error.name}: ${error.message}`} label={text.job.copyError} />
      </div>
      {frames.length > 0 && (
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
      )}
    </div>
  );
}
