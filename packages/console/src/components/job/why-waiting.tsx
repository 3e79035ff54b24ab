import { useQuery } from "@tanstack/react-query";
import { Info } from "lucide-react";
import { isFinished, type Job } from "../../api/contract.ts";
import { explainQuery } from "../../api/jobs-api.ts";
import { text } from "../../text/text.ts";

/** For a job that is not running: why, in the database's own sentences. */
export function WhyWaiting({ job }: { readonly job: Job }) {
  const isWaiting = !isFinished(job.status) && job.status !== "processing";
  const { data } = useQuery({ ...explainQuery(job.id), enabled: isWaiting, refetchInterval: 5_000 });
  if (!isWaiting || data === undefined || data.length === 0) return null;
  return (
    <div className="flex gap-2.5 rounded-lg border bg-well px-3 py-2.5">
      <Info size={17} aria-hidden className="mt-0.5 shrink-0 text-primary" />
      <div>
        <h3 className="text-table font-medium">{text.job.why}</h3>
        <ul className="space-y-0.5">
          {data.map(({ reason, explanation }) => (
            <li key={reason}>{explanation}</li>
          ))}
        </ul>
      </div>
    </div>
  );
}
