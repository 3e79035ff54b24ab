import type { LogLine } from "../api/contract.ts";
import { exactText } from "../api/exact-json.ts";
import { formatClock } from "../format/time.ts";
import { serverNow } from "../live/use-now.ts";
import { useSettings } from "../settings/settings.ts";
import { text } from "../text/text.ts";
import { cn } from "../ui/cn.ts";
import { ScrollRegion } from "../ui/scroll-region.tsx";

const colours = { debug: "text-muted", info: "text-processing", warn: "text-retrying", error: "text-failed" };

/** What a handler wrote while it ran. */
export function LogViewer({ lines }: { readonly lines: readonly LogLine[] }) {
  const { timeZone } = useSettings();
  return (
    <ScrollRegion
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
