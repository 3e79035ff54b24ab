import type pg from "pg";

export interface Plans {
  /** Of the statement, and of all that run inside of the functions it calls. */
  readonly texts: readonly string[];
  /** Blocks that the whole of it looked at, each time anew. */
  readonly blocks: number;
}

/** The plans by which PostgreSQL runs a statement, as auto_explain tells them on this connection. */
export async function plansOf(client: pg.Client, sql: string): Promise<Plans> {
  const texts: string[] = [];
  const listen = ({ message }: { message?: string | undefined }) => texts.push(message ?? "");
  // What it reads of the catalogue, it reads once in a connection.
  await client.query(sql);
  await client.query(
    `load 'auto_explain';
     set auto_explain.log_nested_statements = on;
     set auto_explain.log_analyze = on;
     set auto_explain.log_timing = off;
     set auto_explain.log_buffers = on;
     set auto_explain.log_level = notice;
     set auto_explain.log_min_duration = 0;`,
  );
  client.on("notice", listen);
  try {
    await client.query(sql);
  } finally {
    client.off("notice", listen);
    await client.query("set auto_explain.log_min_duration = -1");
  }
  // The statement itself ends last, and its first line of buffers is the sum of all.
  const last = texts.findLast((text) => text.includes("Buffers:")) ?? "";
  const [, hit = "0", , read = "0"] = /Buffers: shared(?: hit=(\d+))?( read=(\d+))?/.exec(last) ?? [];
  return { texts, blocks: Number(hit) + Number(read) };
}
