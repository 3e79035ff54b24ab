import { formatDuration, formatElapsed } from "../../format/duration.ts";
import { formatClock, formatInstant, formatRelative } from "../../format/time.ts";
import { useNow } from "../../live/use-now.ts";
import { useSettings } from "../../settings/settings.ts";

interface At {
  readonly at: string | null | undefined;
}

/** In lists: how long ago, or the clock's time where that was chosen; the whole instant on hovering. */
export function RelativeTime({ at }: At) {
  const now = useNow();
  const { timeZone, times } = useSettings();
  if (!at) return <span className="text-muted">–</span>;
  const date = new Date(at);
  return (
    <time dateTime={at} title={formatInstant(date, timeZone)} className="whitespace-nowrap">
      {times === "relative" ? formatRelative(date, now) : formatClock(date, timeZone, now)}
    </time>
  );
}

/** On a page about one thing: the whole instant with its zone. */
export function AbsoluteTime({ at }: At) {
  const { timeZone } = useSettings();
  if (!at) return <span className="text-muted">–</span>;
  return <time dateTime={at}>{formatInstant(new Date(at), timeZone)}</time>;
}

/** A span that may still be growing. */
export function Duration({ from, to }: { readonly from: string; readonly to?: string | null | undefined }) {
  const now = useNow();
  const start = Date.parse(from);
  return (
    <span className="whitespace-nowrap">
      {to ? formatDuration(Date.parse(to) - start) : formatElapsed(now.getTime() - start)}
    </span>
  );
}
