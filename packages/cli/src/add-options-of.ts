import type { AddOptions } from "lockstep";
import { usageError } from "./cli-error.ts";
import type { Flags, FlagValues } from "./flags.ts";

/** What can be said of a job that is added. */
export const addFlags = {
  priority: { type: "number", least: 1, most: 20, sentence: "1 (first) to 20; default 10." },
  owner: { type: "text", placeholder: "OWNER", sentence: "The user or tenant it belongs to." },
  "dedup-key": {
    type: "text",
    placeholder: "KEY",
    sentence: "While a job of this key is live, that one is given back instead.",
  },
  "scheduled-for": { type: "instant", placeholder: "TIME", sentence: "Not before this time." },
  in: { type: "span", placeholder: "SPAN", sentence: "Not before so long from now, such as 15m." },
  "start-by": {
    type: "instant",
    placeholder: "TIME",
    sentence: "When it has not started by then, it ends as failed.",
  },
  tag: { type: "text", placeholder: "TAG", many: true, sentence: "A tag; up to 20 of them." },
  "group-key": {
    type: "text",
    placeholder: "KEY",
    sentence: "Jobs of one key take turns with those of others.",
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
  };
}
