import { useLayoutEffect, useRef } from "react";
import type { LogLine } from "../../api/contract.ts";
import { exactText } from "../../api/exact-json.ts";
import { formatClock } from "../../format/time.ts";
import { serverNow } from "../../live/use-now.ts";
import { useSettings } from "../../settings/settings.ts";
import { text } from "../../text/text.ts";
import { cn } from "../../ui/cn.ts";
import { ScrollRegion } from "../../ui/scroll-region.tsx";

const colours = { debug: "text-muted", info: "text-processing", warn: "text-retrying", error: "text-failed" };

export interface LogViewerProps {
  readonly lines: readonly LogLine[];
  /** Whether there may be more: the last line is then kept in view. */
  readonly isGrowing: boolean;
}

/** What a handler wrote while it ran. */
export function LogViewer({ lines, isGrowing }: LogViewerProps) {
  const { timeZone } = useSettings();
  const region = useRef<HTMLElement>(null);
  // Whoever has scrolled up reads there, and is left alone.
  const isAtEnd = useRef(true);
  const last = lines.at(-1);
  useLayoutEffect(() => {
    if (isGrowing && isAtEnd.current && region.current !== null) {
      region.current.scrollTop = region.current.scrollHeight;
    }
  }, [isGrowing, last?.at, last?.message, lines.length]);
  return (
    <ScrollRegion
      ref={region}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        isAtEnd.current = scrollTop + clientHeight >= scrollHeight - 8;
      }}
      label={text.job.log}
      className="max-h-72 overflow-auto rounded-md border bg-well px-3 py-2 font-mono text-xs"
    >
      {lines.map((line, index) => (
        <p key={index} className="flex gap-2 leading-5">
          <time dateTime={line.at} className="shrink-0 text-muted">
            {formatClock(new Date(line.at), timeZone, serverNow())}
          </time>
          <span className={cn("w-10 shrink-0", colours[line.level])}>{line.level}</span>
          <span className="min-w-0 break-words whitespace-pre-wrap">
            {line.message}
            {line.data !== undefined && line.data !== null && (
              <span className="text-muted"> {exactText(line.data, 0)}</span>
            )}
          </span>
        </p>
      ))}
    </ScrollRegion>
  );
}
