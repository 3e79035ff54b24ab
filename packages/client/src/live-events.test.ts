import { ManualClock } from "@lockstep/test-support";
import { describe, expect, onTestFinished, test } from "vitest";
import { ApiCaller } from "./api-caller.ts";
import { eventDialect } from "./event-dialect.ts";
import { LiveEvents, type LiveEventsOptions } from "./live-events.ts";
import type { LiveMessage } from "./live-message.ts";
import type { LiveQuery } from "./live-query.ts";
import type { LiveStatus } from "./live-status.ts";
import { MessageSource } from "./message-source.ts";
import { ResponseError } from "./response-error.ts";

interface Asked {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly atMs: number;
  /** Ends when the client lets go. */
  readonly signal: AbortSignal | null;
}

type Answer = (asked: Asked) => Response | Promise<Response>;

/** A connection that the test writes to, cuts or ends. */
class Connection {
  readonly response: Response;
  isLetGo = false;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;

  constructor() {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => {
        this.isLetGo = true;
      },
    });
    this.response = new Response(body, { headers: { "content-type": "text/event-stream" } });
  }

  write(text: string): this {
    this.#controller?.enqueue(new TextEncoder().encode(text));
    return this;
  }

  job(cursor: string): this {
    return this.write(`id: ${cursor}\nevent: job\ndata: {"jobId":"${cursor}"}\n\n`);
  }

  cut(): this {
    this.#controller?.error(new TypeError("terminated"));
    return this;
  }

  end(): this {
    this.#controller?.close();
    return this;
  }
}

const down: Answer = () => {
  throw new TypeError("fetch failed");
};
const silent: Answer = ({ signal }) =>
  new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(new Error("aborted")));
  });
const problem =
  (status: number, code: string, headers: Record<string, string> = {}) =>
  () =>
    new Response(JSON.stringify({ code, detail: `No: ${code}.` }), { status, headers });
const page =
  (cursors: string[], hasMore = false) =>
  () =>
    Response.json({
      data: cursors.map((cursor) => ({ type: "job", cursor, event: { jobId: cursor } })),
      cursor: cursors.at(-1) ?? "now",
      hasMore,
    });

/** A client whose server answers as the test says, one answer after the other, and is silent after the last. */
function aClient(answers: Answer[], options: LiveQuery & LiveEventsOptions = {}, hidden = { is: false }) {
  const clock = new ManualClock();
  const asked: Asked[] = [];
  const tokens: string[] = [];
  const states: LiveStatus["state"][] = [];
  const listeners = new Set<() => void>();
  const api = new ApiCaller({
    baseUrl: "http://server",
    token: () => {
      tokens.push(`token-${tokens.length + 1}`);
      return tokens.at(-1) ?? "";
    },
    fetch: async (input, init) => {
      const request = {
        url: String(input).replace("http://server/api/v1", ""),
        headers: init?.headers as Record<string, string>,
        signal: init?.signal ?? null,
        atMs: clock.monotonicMs(),
      };
      asked.push(request);
      const answer = answers.shift();
      if (answer !== undefined) return await answer(request);
      return await new Promise<never>((_, reject) => {
        if (request.signal?.aborted) reject(new Error("aborted"));
        request.signal?.addEventListener("abort", () => reject(new Error("aborted")));
      });
    },
  });
  const events = new LiveEvents(
    {
      source: new MessageSource({ api, clock, dialect: eventDialect(options) }),
      clock,
      random: () => 1,
      page: {
        get isHidden() {
          return hidden.is;
        },
        onChange(listener) {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
      },
    },
    { ...options, onStatus: ({ state }) => states.push(state) },
  );
  const messages = events[Symbol.asyncIterator]();
  onTestFinished(() => events.close());
  /** The next messages, while time goes on. */
  const next = async (count: number): Promise<string[]> => {
    const told: string[] = [];
    while (told.length < count) {
      let isThere = false;
      const coming = messages.next().finally(() => {
        isThere = true;
      });
      while (!isThere) await clock.advance(100);
      const { value, done } = await coming;
      if (done) throw new Error("It has ended.");
      told.push(storyOf(value));
    }
    return told;
  };
  const show = (isHidden: boolean) => {
    hidden.is = isHidden;
    for (const listener of [...listeners]) listener();
  };
  return { events, messages, next, asked, tokens, states, clock, show };
}

function storyOf(message: LiveMessage): string {
  return "cursor" in message
    ? `${message.type} ${message.cursor}`
    : `${message.type} ${JSON.stringify(message.data)}`;
}

describe("a stream that breaks", () => {
  test("is opened again where it was cut, with what was had whole", async () => {
    const first = new Connection().job("1").write("id: 2\nevent: job\nda");
    const second = new Connection().job("2").job("3");
    const { next, asked, states } = aClient([() => first.response, () => second.response], { after: "0" });
    expect(await next(1)).toEqual(["job 1"]);
    first.cut();
    expect(await next(2)).toEqual(["job 2", "job 3"]);
    expect(asked.map(({ headers }) => headers["last-event-id"])).toEqual(["0", "1"]);
    expect(states).toEqual(["live", "reconnecting", "live"]);
  });

  test("goes on from a place that was told without a message", async () => {
    const first = new Connection().job("1").write("id: 7\n\n: ping\n\n");
    const { next, asked, events, clock } = aClient([
      () => first.response,
      () => new Connection().job("8").response,
    ]);
    expect(await next(1)).toEqual(["job 1"]);
    const coming = next(1);
    await clock.advance(0);
    expect(events.cursor).toBe("7");
    first.end();
    expect(await coming).toEqual(["job 8"]);
    expect(asked[1]?.headers["last-event-id"]).toBe("7");
  });

  test("waits as long as the server asks, and longer each time it fails", async () => {
    const last = new Connection().job("1");
    const first = new Connection().write("retry: 500\n\n").end();
    const { next, asked } = aClient([() => first.response, down, () => last.response]);
    await next(1);
    // Half a second after an end, twice that after a failure.
    const [began = 0, second = 0, third = 0] = asked.map(({ atMs }) => atMs);
    expect(second - began).toBe(500);
    expect(third - second).toBe(1_000);
  });

  test("is given up when nothing comes for too long", async () => {
    const silent = new Connection().write(": hello\n\n");
    const { next } = aClient([() => silent.response, () => new Connection().job("1").response]);
    expect(await next(1)).toEqual(["job 1"]);
    expect(silent.isLetGo).toBe(true);
  });

  test("is given up when no answer comes at all", async () => {
    const { next, asked } = aClient([silent, () => new Connection().job("1").response]);
    expect(await next(1)).toEqual(["job 1"]);
    expect(asked[0]?.signal?.aborted).toBe(true);
  });

  test.each([
    ["in seconds", { "retry-after": "10" }, 10_000],
    [
      "by a date, which is one of the sender's clock",
      { date: "Sun, 31 Dec 2000 23:59:20 GMT", "retry-after": "Sun, 31 Dec 2000 23:59:59 GMT" },
      39_000,
    ],
    ["with a number that no timer holds: five minutes", { "retry-after": "99999999999" }, 300_000],
  ])("waits as long as a busy server says, %s", async (_how, headers, expectedMs) => {
    const { next, clock } = aClient([
      problem(503, "streams.full", headers),
      () => new Connection().job("1").response,
    ]);
    await next(1);
    expect(clock.monotonicMs()).toBeGreaterThanOrEqual(expectedMs);
    expect(clock.monotonicMs()).toBeLessThan(expectedMs + 1_000);
  });
});

describe("where no stream comes through", () => {
  test("three failures make it ask page by page, less and less often, until a stream comes through again", async () => {
    const answers = new Map([["text/event-stream", () => new Connection().job("5").response]]);
    const untilStream: Answer = (asked) => answers.get(asked.headers.accept ?? "")?.() ?? page([])();
    const { next, asked, states, clock } = aClient(
      [down, down, down, page([]), page(["2", "3"], true), page(["4"]), ...Array(20).fill(untilStream)],
      { after: "1", pipeline: "orders" },
    );
    expect(await next(3)).toEqual(["job 2", "job 3", "job 4"]);
    expect(states).toEqual(["reconnecting", "polling"]);
    expect(asked.slice(3).map(({ url }) => url)).toEqual([
      "/events?pipeline=orders&after=1",
      "/events?pipeline=orders&after=now",
      "/events?pipeline=orders&after=3",
    ]);
    expect(asked[3]?.headers.accept).toBe("application/json");
    const before = asked.length;
    const coming = next(1);
    const isStream = ({ headers }: Asked) => headers.accept === "text/event-stream";
    while (!asked.slice(before).some(isStream)) await clock.advance(100);
    const polls = asked.slice(before).filter((one) => !isStream(one));
    // 2 s, times 1.5, to 15 s: not thirty in a minute.
    expect(polls.length).toBeGreaterThan(4);
    expect(polls.length).toBeLessThan(12);
    expect(asked.at(-1)?.headers["last-event-id"]).toBe("now");
    expect(await coming).toEqual(["job 5"]);
    expect(states.at(-1)).toBe("live");
  });
});

describe("a token", () => {
  test("is asked for once, and anew when the server takes it no longer", async () => {
    const first = new Connection().job("1");
    const { next, asked, tokens } = aClient([
      () => first.response,
      problem(401, "token.refused"),
      () => new Connection().job("2").response,
    ]);
    await next(1);
    first.end();
    expect(await next(1)).toEqual(["job 2"]);
    expect(asked.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer token-1",
      "Bearer token-1",
      "Bearer token-2",
    ]);
    expect(tokens).toHaveLength(2);
  });
});

test("what is refused for good ends it with the server's sentence", async () => {
  const { messages, events } = aClient([problem(404, "job.not_found")]);
  await expect(messages.next()).rejects.toThrow("No: job.not_found.");
  await expect(messages.next()).resolves.toMatchObject({ done: true });
  expect(events.status.state).toBe("closed");
  expect(new ResponseError(404, "x", "y", null).isPassing).toBe(false);
});

test("states come as they are, and messages of names it does not know do not", async () => {
  const text = 'event: stats\ndata: {"a":1}\n\nevent: news\ndata: 1\n\nid: 5\nevent: reset\ndata: {}\n\n';
  const { next, asked } = aClient([() => new Connection().write(text).response], {
    topics: ["stats", "jobs"],
    watch: ["a", "b"],
    filter: "status:failed",
  });
  expect(await next(2)).toEqual(['stats {"a":1}', "reset 5"]);
  expect(asked[0]?.url).toBe("/events?topics=stats%2Cjobs&watch=a%2Cb&filter=status%3Afailed");
});

test("whoever leaves the loop lets go of the connection", async () => {
  const connection = new Connection().job("1");
  const { events } = aClient([() => connection.response]);
  for await (const message of events) {
    expect(storyOf(message)).toBe("job 1");
    break;
  }
  expect(connection.isLetGo).toBe(true);
  expect(events.status.state).toBe("closed");
});

test("a signal ends it while it waits", async () => {
  const over = new AbortController();
  const { messages } = aClient([], { signal: over.signal });
  const coming = messages.next();
  over.abort();
  expect(await coming).toEqual({ value: undefined, done: true });
});

test("while its page is hidden it holds no connection, and goes on where it was", async () => {
  const first = new Connection().job("1");
  const { next, show, asked, clock, states } = aClient(
    [() => first.response, () => new Connection().job("2").response],
    { pauseWhenHidden: true },
  );
  await next(1);
  const coming = next(1);
  await clock.advance(0);
  show(true);
  await clock.advance(60_000);
  expect(asked).toHaveLength(1);
  show(false);
  expect(await coming).toEqual(["job 2"]);
  expect(asked[1]?.headers["last-event-id"]).toBe("1");
  expect(states).toEqual(["live", "paused", "reconnecting", "live"]);
});
