import { useEffect } from "react";
import { queryClient } from "../api/query-client.ts";
import { settings, subscribe } from "../settings/settings.ts";
import { applyMessage } from "./apply-message.ts";
import { LiveTab } from "./live-tab.ts";
import type { LiveWish } from "./wish.ts";

let tab: LiveTab | undefined;

export function startLive(): void {
  tab = new LiveTab(
    (message) => applyMessage(queryClient, message),
    () => void queryClient.invalidateQueries(),
  );
  tab.pause(!settings().isLive);
  tab.start();
  subscribe(() => tab?.pause(!settings().isLive));
}

/** Subscribes while the component is mounted. */
export function useLive(wish: LiveWish): void {
  const key = JSON.stringify(wish);
  useEffect(() => tab?.want(JSON.parse(key)), [key]);
}
