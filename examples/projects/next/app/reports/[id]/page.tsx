import { notFound } from "next/navigation";
import { z } from "zod";
import { lockstep } from "../../../lib/lockstep";
import { ReportProgress } from "./report-progress";

const hourMs = 3_600_000;

// Where there are accounts, ask here whether this job belongs to the one who is asking.
export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  const { engine } = lockstep();
  if (!z.uuid().safeParse(id).success || (await engine.get(id)) === null) notFound();
  return <ReportProgress id={id} token={engine.jobToken(id, { expiresInMs: hourMs })} />;
}
