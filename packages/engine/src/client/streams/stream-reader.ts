import type { Clock } from "../../clock.ts";
import type { TokenScope } from "../../jobs/reading/owner-token.ts";
import { checkedStreamName } from "../../jobs/streams/job-stream.ts";
import { checkReadStreamOptions, type ReadStreamOptions } from "../../jobs/streams/read-stream-options.ts";
import { type StreamEntry, streamStart } from "../../jobs/streams/stream-entry.ts";
import { DatabaseUnavailableError } from "../../store/connections/database-error.ts";
import type { JobStore } from "../../store/reading/job-store.ts";
import { checkedJobId } from "../reading/checked-job-id.ts";
import { JobUnknownError } from "../results/result-errors.ts";
import type { StreamHub } from "./stream-hub.ts";

export interface StreamReaderParts {
  readonly hub: Pick<StreamHub, "follow">;
  readonly jobs: Pick<JobStore, "get">;
  readonly clock: Clock;
  /** What a token opens; throws when it is not genuine, or over. */
  readonly scopeOf: (token: string) => TokenScope;
  /** The engine's end. */
  readonly stopping: AbortSignal;
}

const outageMs = 1_000;

/** Reads a stream entry by entry, waiting for more until its job has ended. */
export class StreamReader {
  readonly #parts: StreamReaderParts;

  constructor(parts: StreamReaderParts) {
    this.#parts = parts;
  }

  /** Refuses wrong options at the call, not at the first entry. */
  read(id: string, name: string, options: ReadStreamOptions): AsyncGenerator<StreamEntry, void, undefined> {
    checkReadStreamOptions(options);
    if (options.token !== undefined) this.#parts.scopeOf(options.token);
    return this.#read(checkedJobId(id), checkedStreamName(name), options);
  }

  async *#read(
    jobId: string,
    name: string,
    { after = streamStart, owner, token, signal }: ReadStreamOptions,
  ): AsyncGenerator<StreamEntry, void, undefined> {
    const { hub, stopping, scopeOf } = this.#parts;
    if (token !== undefined || owner !== undefined) await this.#refuseUnlessTheirs(jobId, { owner, token });
    const ended = new AbortController();
    const end = () => ended.abort();
    const sources = signal === undefined ? [stopping] : [stopping, signal];
    for (const source of sources) source.addEventListener("abort", end);
    if (sources.some(({ aborted }) => aborted)) end();
    let isEmpty = after === streamStart;
    try {
      for await (const part of hub.follow({ jobId, name, cursor: after }, ended.signal)) {
        isEmpty = false;
        if (part.kind === "rewind") {
          yield part;
          continue;
        }
        for (const [index, chunk] of part.chunks.entries()) {
          if (ended.signal.aborted) return;
          // At each chunk: between two of them their reader may take its time.
          if (token !== undefined) scopeOf(token);
          yield { kind: "chunk", seq: part.seq + index, cursor: part.cursors[index] ?? part.cursor, chunk };
        }
      }
      // A job that was never added has ended too.
      if (isEmpty && !ended.signal.aborted) await this.#existing(jobId);
    } finally {
      for (const source of sources) source.removeEventListener("abort", end);
    }
  }

  async #refuseUnlessTheirs(
    jobId: string,
    { owner, token }: Pick<ReadStreamOptions, "owner" | "token">,
  ): Promise<void> {
    const scope = token === undefined ? { owner: owner ?? null, jobId: null } : this.#parts.scopeOf(token);
    const job = await this.#existing(jobId);
    const isTheirs = scope.jobId === null ? job.owner === scope.owner : scope.jobId === jobId;
    // As if it were not there.
    if (!isTheirs) throw new JobUnknownError(jobId);
  }

  /** Waits through an outage, as the hub does. */
  async #existing(jobId: string): Promise<{ readonly owner: string | null }> {
    const { jobs, clock, stopping } = this.#parts;
    for (;;) {
      try {
        const job = await jobs.get(jobId, false);
        if (job === null) throw new JobUnknownError(jobId);
        return job;
      } catch (error) {
        if (!(error instanceof DatabaseUnavailableError) || error.isFinal || stopping.aborted) throw error;
        await clock.sleep(outageMs, stopping);
      }
    }
  }
}
