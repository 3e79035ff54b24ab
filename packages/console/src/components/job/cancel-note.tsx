import type { Job } from "../../api/contract.ts";
import { formatElapsed } from "../../format/duration.ts";
import { useNow } from "../../live/use-now.ts";
import { text } from "../../text/text.ts";
import { RelativeTime } from "../shared/relative-time.tsx";
import { useCancelGraceMs } from "./cancel-grace.ts";

/** Since when a running job has been asked to stop, and when it will be stopped by force. */
export function CancelNote({ job }: { readonly job: Job }) {
  const now = useNow();
  const graceMs = useCancelGraceMs();
  if (job.cancelRequestedAt === null || job.status !== "processing") return null;
  const leftMs = graceMs === null ? 0 : Date.parse(job.cancelRequestedAt) + graceMs - now.getTime();
  return (
    <p className="text-cancelled">
      {text.job.cancelRequested} <RelativeTime at={job.cancelRequestedAt} />
      {leftMs > 0 && `, ${text.job.cancelForced(formatElapsed(leftMs))}`}
    </p>
  );
}
