/** A message of a job's stream. */
export type StreamMessage<Chunk = unknown> =
  | {
      readonly type: "chunk";
      /** Its number among the chunks that count: 1 for the first. After a rewind to 3, the next one is 4. */
      readonly seq: number;
      readonly chunk: Chunk;
      readonly cursor: string;
    }
  /** A new attempt has begun to write: of the chunks received so far, only the first `to` count. */
  | { readonly type: "rewind"; readonly to: number; readonly cursor: string };
