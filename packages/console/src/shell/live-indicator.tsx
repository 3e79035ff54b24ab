import { formatElapsed } from "../format/duration.ts";
import { type LiveKind, useLiveStatus } from "../live/live-status.ts";
import { useNow } from "../live/use-now.ts";
import { changeSettings, useSettings } from "../settings/settings.ts";
import { text } from "../text/text.ts";
import { cn } from "../ui/cn.ts";

const dots: Record<LiveKind, string> = {
  connecting: "bg-pending",
  live: "bg-completed",
  polling: "bg-retrying",
  paused: "bg-paused",
  away: "bg-failed",
  reconnecting: "bg-failed animate-pulse",
};

/** How fresh the page is, in words; a click pauses and resumes. */
export function LiveIndicator() {
  useNow();
  const { kind, heardAtMs } = useLiveStatus();
  const { isLive } = useSettings();
  const ago = formatElapsed(Date.now() - heardAtMs);
  return (
    <button
      type="button"
      data-live={kind}
      onClick={() => changeSettings({ isLive: !isLive })}
      title={`${text.live.explain[kind]} ${isLive ? text.live.pause : text.live.resume} (.)`}
      className="flex h-8.5 shrink-0 items-center gap-2 rounded-md px-2.5 text-table hover:bg-well"
    >
      <span aria-hidden className={cn("size-2 rounded-full", dots[kind])} />
      <span>{text.live[kind]}</span>
      {(kind === "reconnecting" || kind === "away") && (
        <span className="hidden text-muted sm:inline">{text.live.lastUpdate(ago)}</span>
      )}
    </button>
  );
}
