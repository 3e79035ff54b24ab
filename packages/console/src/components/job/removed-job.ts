import type { Me } from "../../api/contract.ts";

const dayMs = 86_400_000;

/** When a job was added whose id tells it (version 7); null when it does not. */
export function addedAtOf(id: string): Date | null {
  const hex = id.replaceAll("-", "");
  return /^[0-9a-f]{12}7[0-9a-f]{19}$/i.test(hex) ? new Date(Number.parseInt(hex.slice(0, 12), 16)) : null;
}

/**
 * The day from which retention can have removed a job that is not there; null when it cannot have yet, so that the job was
 * never added here. Tables of finished jobs go day by day: the day must be over, and then kept for so long.
 */
export function removedFrom(
  addedAt: Date,
  { keepCompletedDays, keepFailedDays }: Pick<Me["server"], "keepCompletedDays" | "keepFailedDays">,
  now: Date,
): Date | null {
  const keptDays = 1 + Math.min(keepCompletedDays, keepFailedDays);
  const removedAtMs = Math.floor(addedAt.getTime() / dayMs) * dayMs + keptDays * dayMs;
  return removedAtMs <= now.getTime() ? new Date(removedAtMs) : null;
}
