import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Job } from "../../api/contract.ts";
import { jobQuery } from "../../api/jobs-api.ts";
import { formatBytes } from "../../format/number.ts";
import { text } from "../../text/text.ts";
import { Button } from "../../ui/button.tsx";
import { Tabs } from "../shared/tabs.tsx";
import { JsonViewer } from "./json-viewer.tsx";

/** What was asked, what the stages returned, and what came of it. What is large is loaded when it is wanted. */
export function JobData({ job: given }: { readonly job: Job }) {
  const [isFull, setFull] = useState(false);
  const full = useQuery({ ...jobQuery(given.id, true), enabled: isFull });
  if (given.isPayloadHidden) return <p className="text-muted">{text.job.hidden}</p>;
  const job = isFull && full.data !== undefined ? full.data : given;
  const outputs = Object.entries(job.outputs);
  const orButton = (part: "payload" | "outputs" | "result", content: ReactNode) =>
    job.leftOut.includes(part) ? (
      <div className="flex flex-wrap items-center gap-3 text-muted">
        {text.job.leftOut}
        <Button size="small" isBusy={full.isFetching} onClick={() => setFull(true)}>
          {text.job.load}
        </Button>
      </div>
    ) : (
      content
    );
  const tabs = [
    {
      name: text.job.payload,
      note: formatBytes(job.payloadBytes),
      content: orButton("payload", <JsonViewer value={job.payload} label={text.job.payload} />),
    },
    {
      name: text.job.outputs,
      note: outputs.length === 0 ? undefined : String(outputs.length),
      content: orButton("outputs", <Outputs outputs={outputs} />),
    },
    {
      name: text.job.result,
      content:
        job.status === "completed" ? (
          orButton("result", <JsonViewer value={job.result} label={text.job.result} />)
        ) : (
          <p className="text-muted">{text.job.noResult}</p>
        ),
    },
    { name: text.job.raw, content: <JsonViewer value={job} label={text.job.raw} /> },
  ];
  return <Tabs tabs={tabs} label={text.job.payload} />;
}

function Outputs({ outputs }: { readonly outputs: readonly [string, unknown][] }) {
  if (outputs.length === 0) return <p className="text-muted">{text.job.noOutputs}</p>;
  return (
    <div className="space-y-3">
      {outputs.map(([stage, output]) => (
        <div key={stage}>
          <h3 className="mb-1 text-table font-medium">{stage}</h3>
          <JsonViewer value={output} label={stage} />
        </div>
      ))}
    </div>
  );
}
