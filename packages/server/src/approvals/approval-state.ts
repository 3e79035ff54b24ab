import type { Approval, SignalAnswer } from "lockstep";

/** Why a link leads to no decision, as a person is told. */
export interface Refusal {
  readonly status: 403 | 404 | 409 | 410 | 422;
  readonly title: string;
  readonly sentence: string;
}

export const refusals = {
  forged: {
    status: 404,
    title: "This link is not valid",
    sentence: "It was not made here, or it has been changed on its way. Ask for a new one.",
  },
  expired: {
    status: 410,
    title: "This link has expired",
    sentence: "Nothing was decided with it. Ask for a new one.",
  },
  used: {
    status: 410,
    title: "This has been decided already",
    sentence: "A decision was made, by you or by somebody else. The first one counts.",
  },
  kept: {
    status: 410,
    title: "This has been decided already",
    sentence:
      "A decision was made, by you or by somebody else, and is kept until the job can take it. The first one counts.",
  },
  late: {
    status: 410,
    title: "It is too late to decide this",
    sentence: "Nobody decided in time, and the job has gone on or ended without a decision.",
  },
  ended: {
    status: 410,
    title: "There is nothing left to decide",
    sentence: "The job that this link was for has ended.",
  },
  outdated: {
    status: 409,
    title: "This link is out of date",
    sentence:
      "What it asked you to decide on has changed since it was made, so that a decision would be about something else. Ask for a new link.",
  },
  notAllowed: {
    status: 403,
    title: "Somebody else has to decide this",
    sentence: "The owner of the job may not decide on it.",
  },
} as const satisfies Record<string, Refusal>;

/** Whether there is still something to decide; null: there is. */
export function refusalOf({ job, wait, by, isCurrent, isDecided }: Approval): Refusal | null {
  if (job === null) return refusals.ended;
  const isThere = job.wait?.signal === wait;
  if (!isThere && Object.hasOwn(job.outputs, wait)) {
    const last = job.waits.findLast(({ stage }) => stage === wait);
    return last?.outcome === "timed_out" ? refusals.late : refusals.used;
  }
  if (job.finishedAt !== null) {
    const hasTimedOut = job.waits.at(-1)?.outcome === "timed_out" && job.stage === wait;
    return hasTimedOut ? refusals.late : refusals.ended;
  }
  if (isDecided) return refusals.kept;
  if (isThere && job.wait?.notBy === "owner" && by === job.owner) return refusals.notAllowed;
  return isCurrent ? null : refusals.outdated;
}

/** The same for a decision that was not taken. */
export function refusalFor(answer: Exclude<SignalAnswer, "signalled" | "kept">): Refusal {
  switch (answer) {
    case "already_signalled":
      return refusals.used;
    case "timed_out":
      return refusals.late;
    case "changed":
      return refusals.outdated;
    case "not_allowed":
      return refusals.notAllowed;
    default:
      return refusals.ended;
  }
}
