import { useEffect, useState } from "react";
import { apiBase } from "../api/base-path.ts";

export interface SeenStream {
  readonly chunks: readonly unknown[];
  readonly isOver: boolean;
}

const againMs = 3_000;
const nothing: SeenStream = { chunks: [], isOver: false };

/** What a job writes to a stream, as it is written. */
export function useStream(id: string, name: string): SeenStream {
  const [seen, setSeen] = useState(nothing);
  useEffect(() => {
    setSeen(nothing);
    return follow(`${apiBase}/jobs/${id}/streams/${encodeURIComponent(name)}`, setSeen);
  }, [id, name]);
  return seen;
}

/** Until it is over, or the function that it returns is called. */
function follow(address: string, tell: (seen: SeenStream) => void): () => void {
  let chunks: readonly unknown[] = [];
  let cursor = "start";
  let source: EventSource;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const open = () => {
    source = new EventSource(`${address}?after=${cursor}`);
    const on = <Data>(event: string, take: (data: Data) => void) =>
      source.addEventListener(event, ({ data, lastEventId }: MessageEvent<string>) => {
        cursor = lastEventId || cursor;
        take(JSON.parse(data));
      });
    on<{ seq: number; chunks: readonly unknown[] }>("chunks", (part) => {
      chunks = [...chunks.slice(0, part.seq - 1), ...part.chunks];
      tell({ chunks, isOver: false });
    });
    on<{ to: number }>("rewind", ({ to }) => {
      chunks = chunks.slice(0, to);
      tell({ chunks, isOver: false });
    });
    on("end", () => {
      source.close();
      tell({ chunks, isOver: true });
    });
    source.onerror = () => {
      // The browser comes back by itself when a connection breaks, but not when it was refused.
      if (source.readyState === EventSource.CLOSED) timer = setTimeout(open, againMs);
    };
  };
  open();
  return () => {
    clearTimeout(timer);
    source.close();
  };
}
