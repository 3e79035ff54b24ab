import type { StreamInfo, StreamPart } from "../../jobs/streams/stream-entry.ts";
import { streamStart } from "../../jobs/streams/stream-entry.ts";
import { sqlFunction } from "../calls/call-function.ts";
import type { Database } from "../connections/database.ts";
import type { Claim } from "./claim.ts";

/** What one attempt writes to one stream in one call. */
export interface StreamWrite {
  readonly claim: Pick<Claim, "jobId" | "token">;
  readonly name: string;
  /** What the previous write of the claim was answered with; null: this is its first. */
  readonly after: number | null;
  readonly isRewind: boolean;
  /** As JSON texts. */
  readonly chunks: readonly string[];
}

export interface StreamWritten {
  readonly answer:
    | "applied"
    | "already_applied"
    | "lease_lost"
    | "busy"
    | "too_fast"
    | "refused"
    | "out_of_step";
  readonly lastEntry: number | null;
  readonly detail: string | null;
}

export interface StreamContinued {
  readonly answer: "applied" | "lease_lost";
  readonly lastEntry: number | null;
  readonly chunks: readonly unknown[];
}

/** A stream, and how far its reader is. */
export interface StreamPlace {
  readonly jobId: string;
  readonly name: string;
  readonly cursor: string;
}

/** What comes after a place. */
export interface StreamPage {
  readonly parts: readonly StreamPart[];
  readonly hasMore: boolean;
  /** All is read, and the job has ended. */
  readonly isOver: boolean;
}

interface ReadRow {
  readonly number: number;
  readonly kind: "chunks" | "rewind" | "more" | "over";
  readonly entry: string | null;
  readonly mark: number | null;
  readonly seq: number;
  readonly chunks: readonly unknown[];
}

const functions = {
  write: sqlFunction("write_streams", ["p_writes"]),
  continue: sqlFunction("continue_stream", ["p_id", "p_claim_token", "p_name"]),
  read: sqlFunction("read_streams", ["p_ids", "p_names", "p_cursors", "p_limit"]),
  list: sqlFunction("job_streams", ["p_id"]),
};

/** What handlers stream to readers. */
export class StreamStore {
  readonly #database: Pick<Database, "query">;

  constructor(database: Pick<Database, "query">) {
    this.#database = database;
  }

  /** An answer for each, in their order. */
  async write(writes: readonly StreamWrite[]): Promise<StreamWritten[]> {
    const items = writes.map(({ claim, name, after, isRewind, chunks }) => {
      const about = { id: claim.jobId, token: claim.token, name, after, rewind: isRewind };
      // The chunks are JSON already.
      return `${JSON.stringify(about).slice(0, -1)},"chunks":[${chunks.join(",")}]}`;
    });
    const rows = await this.#database.query<{
      number: number;
      answer: StreamWritten["answer"];
      last_entry: string | null;
      detail: string | null;
    }>(functions.write(`[${items.join(",")}]`));
    const answers = new Map(rows.map((row) => [row.number, row]));
    return writes.map((_write, index) => {
      const row = answers.get(index + 1);
      if (row === undefined) throw new Error(`write_streams has not answered write ${index + 1}.`);
      return { answer: row.answer, lastEntry: numberOf(row.last_entry), detail: row.detail };
    });
  }

  /** Takes the stream over from earlier attempts, and says what they wrote. */
  async continue({ jobId, token }: Pick<Claim, "jobId" | "token">, name: string): Promise<StreamContinued> {
    const [row] = await this.#database.query<{
      answer: StreamContinued["answer"];
      last_entry: string | null;
      chunks: readonly unknown[] | null;
    }>(functions.continue(jobId, token, name));
    return {
      answer: row?.answer ?? "lease_lost",
      lastEntry: numberOf(row?.last_entry ?? null),
      chunks: row?.chunks ?? [],
    };
  }

  /** A page for each place, in their order. */
  async read(places: readonly StreamPlace[], limit: number): Promise<StreamPage[]> {
    const rows = await this.#database.query<ReadRow>(
      functions.read(
        places.map(({ jobId }) => jobId),
        places.map(({ name }) => name),
        places.map(({ cursor }) => (cursor === streamStart ? null : cursor)),
        limit,
      ),
    );
    const byNumber = new Map<number, ReadRow[]>();
    for (const row of rows) byNumber.set(row.number, [...(byNumber.get(row.number) ?? []), row]);
    return places.map((_place, index) => {
      const ofPlace = byNumber.get(index + 1) ?? [];
      return {
        parts: ofPlace.flatMap((row) => partOf(row) ?? []),
        hasMore: ofPlace.some(({ kind }) => kind === "more"),
        isOver: ofPlace.some(({ kind }) => kind === "over"),
      };
    });
  }

  async list(jobId: string): Promise<StreamInfo[]> {
    const rows = await this.#database.query<{
      name: string;
      chunks: number;
      bytes: string;
      begun_at: Date;
      written_at: Date;
    }>(functions.list(jobId));
    return rows.map(({ name, chunks, bytes, begun_at, written_at }) => ({
      ...{ name, chunks, bytes: Number(bytes), begunAt: begun_at, writtenAt: written_at },
    }));
  }
}

function partOf({ kind, entry, mark, seq, chunks }: ReadRow): StreamPart | null {
  const cursorAt = (place: number) => `${Number(entry) + place}.${mark}`;
  if (kind === "rewind") return { kind, to: seq, cursor: entry === null ? streamStart : cursorAt(0) };
  if (kind !== "chunks") return null;
  const cursors = chunks.map((_chunk, place) => cursorAt(place));
  return { kind, seq, chunks, cursors, cursor: cursorAt(chunks.length - 1) };
}

function numberOf(text: string | null): number | null {
  return text === null ? null : Number(text);
}
