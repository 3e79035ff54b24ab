/** A chunk of a stream. */
export interface StreamChunk<Chunk = unknown> {
  readonly kind: "chunk";
  /** Its number among the chunks that count: 1 for the first. After a rewind to 3, the next one is 4. */
  readonly seq: number;
  /** Pass it as `after` to go on reading right after this chunk. */
  readonly cursor: string;
  readonly chunk: Chunk;
}

/** A new attempt has begun to write: of what was read, only the first `to` chunks count. */
export interface StreamRewind {
  readonly kind: "rewind";
  readonly to: number;
  readonly cursor: string;
}

/** What a reader of a stream is given. */
export type StreamEntry<Chunk = unknown> = StreamChunk<Chunk> | StreamRewind;

/** What is known of a stream without reading it. */
export interface StreamInfo {
  readonly name: string;
  /** How many chunks count. */
  readonly chunks: number;
  readonly bytes: number;
  readonly begunAt: Date;
  readonly writtenAt: Date;
}

/** Some entries of a stream that came together. */
export type StreamPart =
  | {
      readonly kind: "chunks";
      /** Of the first of them. */
      readonly seq: number;
      readonly chunks: readonly unknown[];
      /** After each of them. */
      readonly cursors: readonly string[];
      /** After the last of them. */
      readonly cursor: string;
    }
  | StreamRewind;

/** The cursor of a reader that has had nothing. */
export const streamStart = "start";
