import type pg from "pg";
import { isPlan, planSettings, type Reads, readsOfPlans } from "./told-plan.ts";

/** What PostgreSQL reads for a statement, all that runs inside of the functions it calls included. */
export async function readsOf(
  client: pg.Client,
  sql: string,
): Promise<{ readonly answers: number; readonly reads: Reads }> {
  const plans: string[] = [];
  const listen = ({ message = "" }: { message?: string | undefined }) => {
    if (isPlan(message)) plans.push(message);
  };
  // What it reads of the catalogue, it reads once in a connection.
  const { rows } = await client.query(sql);
  const settings = Object.entries(planSettings).map(([name, value]) => `set ${name} = ${value}`);
  await client.query(["load 'auto_explain'", ...settings].join(";"));
  client.on("notice", listen);
  try {
    await client.query(sql);
  } finally {
    client.off("notice", listen);
    await client.query("set auto_explain.log_min_duration = -1");
  }
  return { answers: rows.length, reads: readsOfPlans(plans) };
}
