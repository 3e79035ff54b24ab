"use client";

import { createClient } from "@lockstep/client";
import { LockstepProvider, useJob } from "@lockstep/react";
import { useState } from "react";

/** The job as it goes on. The token opens this job and nothing else. */
export function ReportProgress({ id, token }: { id: string; token: string }) {
  const [client] = useState(() => createClient({ baseUrl: "/lockstep", token: () => token }));
  return (
    <LockstepProvider client={client}>
      <Progress id={id} />
    </LockstepProvider>
  );
}

function Progress({ id }: { id: string }) {
  const { job, error } = useJob(id);
  if (error !== null) return <p role="alert">The report cannot be followed: {String(error)}</p>;
  if (job === null) return <p>…</p>;
  if (job.status === "completed") return <p>Done: {JSON.stringify(job.result)}</p>;
  return (
    <p>
      {job.status}, {job.stage} <progress max={100} value={job.progress?.percent ?? 0} />
    </p>
  );
}
