import { type LiveMessage, type StateTopic, stateTopics } from "./live-message.ts";
import { type LiveQuery, queryText } from "./live-query.ts";
import type { Dialect } from "./message-source.ts";
import type { ServerSentEvent } from "./sse-parser.ts";

interface EventPage {
  readonly data: readonly Extract<LiveMessage, { cursor: string }>[];
  readonly cursor: string;
  readonly hasMore: boolean;
}

/** The events of jobs, and the states that screens show. */
export function eventDialect(query: LiveQuery): Dialect<LiveMessage> {
  return {
    path: (more) => `/events${queryText(query, more)}`,
    ofEvent: (event) => [{ message: messageOf(event), cursor: event.id }],
    ofPage(answer) {
      const page = answer as EventPage;
      const arrivals = page.data.map((message) => ({ message, cursor: message.cursor }));
      return { arrivals: [...arrivals, { message: null, cursor: page.cursor }], hasMore: page.hasMore };
    },
  };
}

function messageOf({ event, data, id }: ServerSentEvent): LiveMessage | null {
  if (event === "job" && id !== null) return { type: "job", event: JSON.parse(data), cursor: id };
  if (event === "reset" && id !== null) return { type: "reset", cursor: id };
  const topic = stateTopics.find((known): known is StateTopic => known === event);
  return topic === undefined ? null : { type: topic, data: JSON.parse(data) };
}
