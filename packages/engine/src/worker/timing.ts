import { PollOnly } from "./waking/poll-only.ts";
import { WakeProtocol, type WakeProtocolParts } from "./waking/wake-protocol.ts";
import type { Waking } from "./waking/waking.ts";

/** What the setting `timing` means for a worker, apart from the values that settings have under it. */
export interface Timing {
  /** When it looks for jobs. */
  readonly newWaking: (parts: WakeProtocolParts) => Waking;
  /** Whether a look asks for a whole batch, idle processors or not; if not, for as many jobs as can begin soon. */
  readonly takesWholeBatches: boolean;
}

export const timings: Readonly<Record<"default" | "classic", Timing>> = {
  default: { newWaking: (parts) => new WakeProtocol(parts), takesWholeBatches: false },
  classic: { newWaking: ({ pollIntervalMs }) => new PollOnly(pollIntervalMs), takesWholeBatches: true },
};
