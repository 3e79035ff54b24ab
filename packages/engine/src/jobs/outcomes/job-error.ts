import type { ErrorCause, JobError } from "../reading/job.ts";
import { cutToJsonBytes } from "../values/cut-text.ts";
import { type ThrownParts, thrownParts } from "./thrown-parts.ts";

// All together stays under 8 KiB of JSON, with what an outcome adds to it.
const totalLimitBytes = 7_600;
const messageLimitBytes = 3_000;
const depthKept = 5;
const causesKept = 9;
const causeLimitBytes = { name: 200, message: 500, code: 100 };
// The names of an error's fields and what stands between them.
const fieldsBytes = 100;
// However many causes there are, each has some frames.
const stacksBytes = 1_500;

/** An error that is about to be recorded. */
interface Draft {
  readonly parts: ThrownParts;
  readonly depth: number;
  readonly head: { readonly name: string; readonly message: string; readonly code: string };
  readonly errors: Draft[];
  stack: string;
  cause: Draft | null;
  hasMoreCauses: boolean;
  moreErrors: number;
}

/** What is recorded of a thrown value, whatever it is, and of what caused it; never throws itself. */
export function jobErrorOf(thrown: unknown): JobError {
  const parts = thrownParts(thrown);
  const { name, code } = parts;
  const outer = draftOf(parts, { name, code, message: cutToJsonBytes(parts.message, messageLimitBytes) }, 0);
  const drafts = [outer];
  const seen = new Set([thrown]);
  let roomBytes = totalLimitBytes - headBytes(outer);

  const takeIn = (cause: unknown, depth: number): Draft | null => {
    if (depth > depthKept || drafts.length > causesKept) return null;
    const draft = causeDraft(thrownParts(cause), depth);
    if (headBytes(draft) > roomBytes - stacksBytes) return null;
    roomBytes -= headBytes(draft);
    drafts.push(draft);
    return draft;
  };
  // The list grows meanwhile, level by level: the causes nearest to what was thrown come first.
  for (const draft of drafts) {
    const { cause, errors } = draft.parts;
    if (cause !== undefined && !seen.has(cause)) {
      seen.add(cause);
      draft.cause = takeIn(cause, draft.depth + 1);
      draft.hasMoreCauses = draft.cause === null;
    }
    for (const error of errors) {
      const taken = seen.has(error) ? null : takeIn(error, draft.depth + 1);
      if (taken !== null) draft.errors.push(taken);
      if (taken !== null || seen.has(error)) draft.moreErrors -= 1;
      seen.add(error);
    }
  }
  shareOut(roomBytes, drafts);
  return recordOf(outer);
}

function draftOf(parts: ThrownParts, head: Draft["head"], depth: number): Draft {
  const { errorCount: moreErrors } = parts;
  return { parts, head, depth, stack: "", cause: null, hasMoreCauses: false, errors: [], moreErrors };
}

function causeDraft(parts: ThrownParts, depth: number): Draft {
  const head = {
    name: cutToJsonBytes(parts.name, causeLimitBytes.name),
    message: cutToJsonBytes(parts.message, causeLimitBytes.message),
    code: cutToJsonBytes(parts.code, causeLimitBytes.code),
  };
  return draftOf(parts, head, depth);
}

/** Gives every stack its share of the space; short ones come first and leave what they do not need to the long ones. */
function shareOut(bytes: number, drafts: readonly Draft[]): void {
  let roomBytes = bytes;
  const shortFirst = [...drafts].sort((a, b) => a.parts.stack.length - b.parts.stack.length);
  for (const [index, draft] of shortFirst.entries()) {
    draft.stack = cutToJsonBytes(draft.parts.stack, Math.floor(roomBytes / (drafts.length - index)));
    roomBytes -= jsonBytes(draft.stack);
  }
}

function recordOf({ head, stack, cause, hasMoreCauses, errors, moreErrors }: Draft): ErrorCause {
  const { name, message, code } = head;
  return {
    name,
    message,
    ...(stack && { stack }),
    ...(code && { code }),
    ...(cause && { cause: recordOf(cause) }),
    ...(hasMoreCauses && { hasMoreCauses }),
    ...(errors.length > 0 && { errors: errors.map(recordOf) }),
    ...(moreErrors > 0 && { moreErrors }),
  };
}

function headBytes({ head }: Draft): number {
  return jsonBytes(head) + fieldsBytes;
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
