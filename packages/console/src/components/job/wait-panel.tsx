import type { JobWithVersion } from "../../api/jobs-api.ts";
import { useMay } from "../../api/me-api.ts";
import { text } from "../../text/text.ts";
import { Panel } from "../../ui/panel.tsx";
import { AbsoluteTime, Duration } from "../shared/relative-time.tsx";
import { SignalForm } from "./signal-form.tsx";
import { WaitIcon } from "./wait-mark.tsx";

/** What a job waits for, since when and until when; and the form for whoever may answer. */
export function WaitPanel({ job }: { readonly job: JobWithVersion }) {
  const mayAnswer = useMay("jobs.signal");
  const { wait } = job;
  if (wait === null) return null;
  const { kind, signal, since, until, onTimeout } = wait;
  return (
    <Panel
      className="xl:col-span-2"
      title={
        <span className="inline-flex items-center gap-2">
          <WaitIcon kind={kind} size={17} className="text-scheduled" />
          {signal === null ? text.waits.sleeps : text.waits.waitsFor(signal)}
        </span>
      }
    >
      <div className="space-y-4">
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-5 gap-y-1.5 text-table">
          <dt className="text-muted">{text.waits.since}</dt>
          <dd>
            <AbsoluteTime at={since} /> · <Duration from={since} />
          </dd>
          <dt className="text-muted">{text.waits.until}</dt>
          <dd>
            {until === null ? text.waits.noEnd : <AbsoluteTime at={until} />}
            {until !== null && onTimeout !== null && `, ${text.waits.onTimeout(onTimeout)}`}
          </dd>
        </dl>
        {wait.pausedAt !== null && signal !== null && <p className="text-muted">{text.waits.paused}</p>}
        {wait.notBy === "owner" && <p className="text-muted">{text.waits.notByOwner}</p>}
        {signal !== null && mayAnswer && <SignalForm key={since} job={job} signal={signal} wait={wait} />}
      </div>
    </Panel>
  );
}
