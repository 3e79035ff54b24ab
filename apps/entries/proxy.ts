import { readEntriesConfig } from "./src/entries-config.ts";
import { refuseStrangers } from "./src/refuse-strangers.ts";

/** Next calls this before every route and every page; what it returns is the answer. */
export function proxy(request: Request): Response | undefined {
  return refuseStrangers(request, readEntriesConfig().hosts) ?? undefined;
}
