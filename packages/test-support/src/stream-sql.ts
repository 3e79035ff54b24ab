import type { ClaimedJob } from "./job-factory.ts";
import { noon } from "./seconds-after.ts";
import type { TestDatabase } from "./test-database.ts";

interface ReadRow {
  readonly kind: "chunks" | "rewind" | "more" | "over";
  readonly entry: string | null;
  readonly mark: number | null;
  readonly seq: number;
  readonly chunks: readonly unknown[] | null;
}

export interface Write {
  readonly name?: string;
  readonly after?: number | null;
  readonly rewind?: boolean;
  readonly chunks: readonly unknown[];
  readonly at?: Date;
}

export interface Written {
  readonly number: number;
  readonly answer: string;
  readonly last_entry: string | null;
  readonly detail: string | null;
}

/** Writes and reads streams as clients of SQL do. */
export class StreamSql {
  readonly #db: TestDatabase;

  constructor(db: TestDatabase) {
    this.#db = db;
  }

  /** Returns what the next write of this claim comes after. */
  async write(claim: Pick<ClaimedJob, "id" | "claim_token">, write: Write): Promise<number> {
    const [written] = await this.tryWrite([[claim, write]]);
    if (written?.answer !== "applied") throw new Error(`${written?.answer}: ${written?.detail}`);
    return Number(written.last_entry);
  }

  tryWrite(writes: readonly [Pick<ClaimedJob, "id" | "claim_token">, Write][]): Promise<Written[]> {
    const p_writes = writes.map(
      ([{ id, claim_token }, { name = "text", after = null, rewind = false, chunks }]) => ({
        ...{ id, token: claim_token, name, after, rewind, chunks },
      }),
    );
    return this.#db.call<Written>("write_streams", {
      p_writes,
      p_now: writes[0]?.[1].at ?? noon,
    });
  }

  async read(id: string, cursor: string | null = null, limit?: number, name = "text") {
    const rows = await this.#db.call<ReadRow>("read_streams", {
      ...{ p_ids: [id], p_names: [name], p_cursors: [cursor], p_limit: limit },
    });
    const chunks = rows.flatMap((row) =>
      (row.chunks ?? []).map((text, index) => ({
        text,
        seq: row.seq + index,
        cursor: `${Number(row.entry) + index}.${row.mark}`,
      })),
    );
    const rewind = rows.find(({ kind }) => kind === "rewind");
    return {
      kinds: rows.map(({ kind }) => kind),
      rewinds: rows.filter(({ kind }) => kind === "rewind").map(({ seq }) => seq),
      rewindCursor: rewind?.entry == null ? null : `${rewind.entry}.${rewind.mark}`,
      texts: chunks.map(({ text }) => text),
      seqs: chunks.map(({ seq }) => seq),
      cursors: chunks.map((chunk) => chunk.cursor),
      cursor: chunks.at(-1)?.cursor ?? cursor,
    };
  }
}
