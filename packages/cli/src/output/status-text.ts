import type { JobStatus } from "lockstep";
import type { Output } from "./output.ts";
import type { Paint } from "./paint.ts";

const icons: Record<JobStatus, string> = {
  scheduled: "◷",
  pending: "…",
  processing: "◌",
  retrying: "↻",
  completed: "✔",
  failed: "✖",
  cancelled: "⊘",
};

const brushes: Record<JobStatus, keyof Paint> = {
  scheduled: "magenta",
  pending: "dim",
  processing: "blue",
  retrying: "yellow",
  completed: "green",
  failed: "red",
  cancelled: "dim",
};

/** Icon and word for people, the word for programs. */
export function statusText(status: JobStatus, { isForPeople }: Pick<Output, "isForPeople">): string {
  return isForPeople ? `${icons[status]} ${status}` : status;
}

/** Colour is only an extra: the icon and the word say the same. */
export function paintStatus(text: string, status: JobStatus, paint: Paint): string {
  return paint[brushes[status]](text);
}
