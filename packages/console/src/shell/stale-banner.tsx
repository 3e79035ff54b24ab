import { formatElapsed } from "../format/duration.ts";
import { useLiveStatus } from "../live/live-status.ts";
import { useNow } from "../live/use-now.ts";
import { text } from "../text/text.ts";

const staleAfterMs = 30_000;

/** Half a minute without a word: the numbers are shown as what they are, old. */
export function StaleBanner() {
  useNow();
  const { kind, heardAtMs } = useLiveStatus();
  const silentMs = Date.now() - heardAtMs;
  if (kind !== "reconnecting" && kind !== "polling" && kind !== "away") return null;
  if (silentMs < staleAfterMs) return null;
  return (
    <p className="border-b border-retrying/50 bg-panel px-4 py-2 text-table text-retrying lg:px-6">
      {text.shell.stale(formatElapsed(silentMs))}
    </p>
  );
}
