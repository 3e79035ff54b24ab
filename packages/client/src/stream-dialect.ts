import type { Arrival, Dialect } from "./message-source.ts";
import type { StreamMessage } from "./stream-message.ts";

type Part =
  | {
      readonly type: "chunks";
      readonly cursor: string;
      readonly seq: number;
      readonly chunks: readonly unknown[];
    }
  | { readonly type: "rewind"; readonly cursor: string; readonly to: number };

interface StreamPage {
  readonly data: readonly Part[];
  readonly hasMore: boolean;
  readonly isOver: boolean;
}

const last: Arrival<StreamMessage> = { message: null, cursor: null, isLast: true };

/** What a job writes to a stream. */
export function streamDialect(jobId: string, name: string): Dialect<StreamMessage> {
  const path = `/jobs/${encodeURIComponent(jobId)}/streams/${encodeURIComponent(name)}`;
  return {
    path: (more) => (Object.keys(more).length === 0 ? path : `${path}?${new URLSearchParams(more)}`),
    ofEvent({ event, data, id }) {
      if (event === "end") return [last];
      if ((event !== "chunks" && event !== "rewind") || id === null) return [];
      return arrivalsOf({ type: event, ...JSON.parse(data), cursor: id });
    },
    ofPage(answer) {
      const { data, hasMore, isOver } = answer as StreamPage;
      return { arrivals: [...data.flatMap(arrivalsOf), ...(isOver ? [last] : [])], hasMore };
    },
  };
}

function arrivalsOf(part: Part): Arrival<StreamMessage>[] {
  const { cursor } = part;
  if (part.type === "rewind") return [{ message: { type: "rewind", to: part.to, cursor }, cursor }];
  const [entry = "", mark = ""] = cursor.split(".");
  return part.chunks.map((chunk, index) => {
    // The cursor is that of the last one, and counts chunks: whoever leaves between two of them comes back there.
    const own = `${Number(entry) - (part.chunks.length - 1 - index)}.${mark}`;
    return { message: { type: "chunk", seq: part.seq + index, chunk, cursor: own }, cursor: own };
  });
}
