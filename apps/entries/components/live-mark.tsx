import { Radio, RefreshCw, WifiOff } from "lucide-react";

/** How updates arrive: by icon and word. */
export function LiveMark({ isLive, hasError }: { isLive: boolean; hasError: boolean }) {
  const [Icon, words] = hasError
    ? ([WifiOff, "Reconnecting"] as const)
    : isLive
      ? ([Radio, "Live"] as const)
      : ([RefreshCw, "Polling every 2 s"] as const);
  return (
    <span role="status" className="flex items-center gap-1.5 text-sm text-muted">
      <Icon aria-hidden className="size-4" />
      {words}
    </span>
  );
}
