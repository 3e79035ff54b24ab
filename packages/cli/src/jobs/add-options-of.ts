import type { AddOptions } from "lockstep";
import type { Flags, FlagValues } from "../command-line/flags.ts";
import { usageError } from "../errors/cli-error.ts";

/** The options of a job that is added. */
export const addFlags = {
  priority: { type: "number", least: 1, most: 20, sentence: "1 (first) to 20; default 10." },
  owner: { type: "text", placeholder: "OWNER", sentence: "The user or tenant it belongs to." },
  "dedup-key": {
    type: "text",
    placeholder: "KEY",
    sentence: "While a job with this key is live, that one is returned instead.",
  },
  "scheduled-for": { type: "instant", placeholder: "TIME", sentence: "Not before this time." },
  in: { type: "span", placeholder: "SPAN", sentence: "Not before this much time has passed, such as 15m." },
  "start-by": {
    type: "instant",
    placeholder: "TIME",
    sentence: "The job fails if it has not started by then.",
  },
  tag: { type: "text", placeholder: "TAG", many: true, sentence: "A tag; up to 20 of them." },
  "signal-key": {
    type: "text",
    placeholder: "KEY",
    sentence: "A name by which `jobs signal --key` finds it.",
  },
  "group-key": {
    type: "text",
    placeholder: "KEY",
    sentence: "Groups take turns, so that no group can block the others.",
  },
} as const satisfies Flags;

/** The engine's options for what the flags say. */
export function addOptionsOf(flags: FlagValues<typeof addFlags>, now: Date): AddOptions {
  if (flags["scheduled-for"] !== undefined && flags.in !== undefined) {
    throw usageError("Give --scheduled-for or --in, not both.");
  }
  const inFuture = flags.in === undefined ? undefined : new Date(now.getTime() + flags.in);
  return {
    priority: flags.priority,
    owner: flags.owner,
    dedupKey: flags["dedup-key"],
    scheduledFor: flags["scheduled-for"] ?? inFuture,
    startBy: flags["start-by"],
    tags: flags.tag.length === 0 ? undefined : flags.tag,
    groupKey: flags["group-key"],
    signalKey: flags["signal-key"],
  };
}
