import type { Job } from "../api/contract.ts";
import { exactText } from "../api/exact-json.ts";
import { formatBytes } from "../format/number.ts";
import { text } from "../text/text.ts";
import { JsonViewer } from "./json-viewer.tsx";
import { Tabs } from "./tabs.tsx";

/** What was asked, what the stages returned, and what came of it. */
export function JobData({ job }: { readonly job: Job }) {
  if (job.isPayloadHidden) return <p className="text-muted">{text.job.hidden}</p>;
  const outputs = Object.entries(job.outputs);
  const tabs = [
    {
      name: text.job.payload,
      note: formatBytes(new Blob([exactText(job.payload, 0)]).size),
      content: <JsonViewer value={job.payload} label={text.job.payload} />,
    },
    {
      name: text.job.outputs,
      note: outputs.length === 0 ? undefined : String(outputs.length),
      content:
        outputs.length === 0 ? (
          <p className="text-muted">{text.job.noOutputs}</p>
        ) : (
          <div className="space-y-3">
            {outputs.map(([stage, output]) => (
              <div key={stage}>
                <h3 className="mb-1 text-table font-medium">{stage}</h3>
                <JsonViewer value={output} label={stage} />
              </div>
            ))}
          </div>
        ),
    },
    {
      name: text.job.result,
      content:
        job.status === "completed" ? (
          <JsonViewer value={job.result} label={text.job.result} />
        ) : (
          <p className="text-muted">{text.job.noResult}</p>
        ),
    },
    { name: text.job.raw, content: <JsonViewer value={job} label={text.job.raw} /> },
  ];
  return <Tabs tabs={tabs} label={text.job.payload} />;
}
