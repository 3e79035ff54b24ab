import { useQuery } from "@tanstack/react-query";
import { useLayoutEffect, useRef } from "react";
import { isFinished, type Job } from "../../api/contract.ts";
import { exactText } from "../../api/exact-json.ts";
import { streamsQuery } from "../../api/jobs-api.ts";
import { formatBytes } from "../../format/number.ts";
import { useStream } from "../../live/use-stream.ts";
import { text } from "../../text/text.ts";
import { Panel } from "../../ui/panel.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { Tabs } from "../shared/tabs.tsx";

// A job may begin a stream at any moment.
const newStreamsMs = 2_000;

/** What the handlers of a job stream to its readers; nothing for jobs that stream nothing. */
export function JobStreams({ job }: { readonly job: Job }) {
  const mayGrow = job.status === "processing";
  const { data: streams = [] } = useQuery({
    ...streamsQuery(job.id, isFinished(job.status)),
    refetchInterval: mayGrow ? newStreamsMs : false,
  });
  if (streams.length === 0) return null;
  if (job.isPayloadHidden) {
    return (
      <Panel title={text.job.streams}>
        <p className="text-muted">{text.job.hidden}</p>
      </Panel>
    );
  }
  const tabs = streams.map(({ name, bytes }) => ({
    name,
    note: formatBytes(bytes),
    // A retry begins it anew, also after its end.
    content: <StreamText key={`${name} ${isFinished(job.status)}`} id={job.id} name={name} />,
  }));
  return (
    <Panel title={text.job.streams}>
      <Tabs tabs={tabs} label={text.job.streams} />
    </Panel>
  );
}

function StreamText({ id, name }: { readonly id: string; readonly name: string }) {
  const { chunks, isOver } = useStream(id, name);
  const region = useRef<HTMLElement>(null);
  // Whoever has scrolled up reads there, and is left alone.
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (chunks.length > 0 && isAtEnd.current && region.current !== null) {
      region.current.scrollTop = region.current.scrollHeight;
    }
  }, [chunks]);
  return (
    <ScrollRegion
      ref={region}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        isAtEnd.current = scrollTop + clientHeight >= scrollHeight - 8;
      }}
      label={text.job.stream(name)}
      className="max-h-96 overflow-auto rounded-md border bg-well px-3 py-2 text-table break-words whitespace-pre-wrap"
    >
      {chunks.map((chunk, index) =>
        typeof chunk === "string" ? (
          chunk
        ) : (
          <code key={index} className="block font-mono text-xs text-muted">
            {exactText(chunk, 0)}
          </code>
        ),
      )}
      {!isOver && (
        <span aria-hidden="true" className="text-muted">
          ▍
        </span>
      )}
    </ScrollRegion>
  );
}
