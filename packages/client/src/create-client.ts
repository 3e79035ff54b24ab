import { ApiCaller } from "./api-caller.ts";
import type { BudgetAnswer, BudgetLimitAnswer, BudgetUsagePage, BudgetUsageQuery } from "./budget-answer.ts";
import { clientClock } from "./client-clock.ts";
import { eventDialect } from "./event-dialect.ts";
import type { JobAnswer, SignalledAnswer } from "./job-answer.ts";
import { LiveEvents, type LiveEventsOptions } from "./live-events.ts";
import type { LiveMessage } from "./live-message.ts";
import type { LiveQuery } from "./live-query.ts";
import { type Dialect, MessageSource } from "./message-source.ts";
import { pageVisibility } from "./page-visibility.ts";
import { ResponseError } from "./response-error.ts";
import { streamDialect } from "./stream-dialect.ts";
import type { StreamMessage } from "./stream-message.ts";

/** Where the server is, and who asks. */
export interface ClientOptions {
  /** Where the server is mounted, such as "/lockstep"; in Node with scheme and host. */
  readonly baseUrl?: string | undefined;
  /** Returns a token: called at the first request, and again when the server no longer accepts it. Without it, cookies are used. */
  readonly token?: (() => string | Promise<string>) | undefined;
  /** Instead of the global one. */
  readonly fetch?: typeof fetch | undefined;
}

/** The jobs of a server, for browsers and for Node. */
export interface LockstepClient {
  /** Null when there is no such job, or none that this token may see. */
  job(id: string, options?: { readonly signal?: AbortSignal }): Promise<JobAnswer | null>;
  /**
   * Tells a job what one of its waits is for. An owner's or a job's token may do so only if it was made with this wait among its
   * `signals`. With an `idempotencyKey`, a request that is sent again gets the first one's answer.
   */
  signal(
    id: string,
    name: string,
    value?: unknown,
    options?: { readonly idempotencyKey?: string },
  ): Promise<SignalledAnswer>;
  /** Every budget, with how much of it is in use. Not for tokens of owners. */
  budgets(): Promise<readonly BudgetAnswer[]>;
  /** What was spent of a budget in each period, the newest first. An owner's token sees that owner's, of a budget per owner. */
  budgetUsage(name: string, query?: BudgetUsageQuery): Promise<BudgetUsagePage>;
  /** Sets the limit of a budget, or of one of its scopes; null takes back what was set. Needs the right budgets.change. */
  setBudgetLimit(
    name: string,
    limit: number | null,
    options?: { readonly scope?: string; readonly reason?: string; readonly idempotencyKey?: string },
  ): Promise<BudgetLimitAnswer>;
  /** Messages as they come, for `for await`; no entry of the log is lost or repeated, whatever breaks. */
  events(options?: LiveQuery & LiveEventsOptions): LiveEvents;
  /**
   * What a job writes to a stream, from the first chunk on, while it is written; ends when the job has ended. No chunk is lost
   * or repeated, whatever breaks.
   */
  stream<Chunk = unknown>(
    id: string,
    name: string,
    options?: LiveEventsOptions,
  ): LiveEvents<StreamMessage<Chunk>>;
  /** The same as `events` with a callback for each message, and one for the error that ends it. */
  follow(
    options: LiveQuery & LiveEventsOptions,
    onMessage: (message: LiveMessage) => void,
    onError?: (error: unknown) => void,
  ): LiveEvents;
}

const asJson = { accept: "application/json" };

/** Makes a client of a server's API. It connects to nothing before it is used. */
export function createClient(options: ClientOptions = {}): LockstepClient {
  const api = new ApiCaller({
    baseUrl: (options.baseUrl ?? "").replace(/\/+$/, ""),
    token: options.token ?? null,
    // Called as a function of the global object, which browsers insist on.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
  });
  const live = <Message>(dialect: Dialect<Message>, asked: LiveEventsOptions) => {
    const source = new MessageSource({ api, clock: clientClock, dialect });
    return new LiveEvents({ source, clock: clientClock, random: Math.random, page: pageVisibility() }, asked);
  };
  const events = (asked: LiveQuery & LiveEventsOptions = {}) => live(eventDialect(asked), asked);
  return {
    events,
    stream<Chunk>(id: string, name: string, asked: LiveEventsOptions = {}) {
      // Its type is only a promise of the caller's.
      return live(streamDialect(id, name) as Dialect<StreamMessage<Chunk>>, asked);
    },
    async job(id, { signal } = {}) {
      try {
        const headers = { accept: "application/json" };
        const response = await api.get(`/jobs/${encodeURIComponent(id)}`, headers, signal ?? null);
        return (await response.json()) as JobAnswer;
      } catch (error) {
        if (error instanceof ResponseError && error.status === 404) return null;
        throw error;
      }
    },
    async signal(id, name, value = null, { idempotencyKey } = {}) {
      const path = `/jobs/${encodeURIComponent(id)}/signals/${encodeURIComponent(name)}`;
      const headers: Record<string, string> = { accept: "application/json" };
      if (idempotencyKey !== undefined) headers["idempotency-key"] = idempotencyKey;
      return (await (await api.post(path, { value }, headers)).json()) as SignalledAnswer;
    },
    async budgets() {
      const { data } = (await (await api.get("/budgets", asJson, null)).json()) as { data: BudgetAnswer[] };
      return data;
    },
    async budgetUsage(name, { scope, since, cursor, limit } = {}) {
      const search = new URLSearchParams();
      const given = { scope, since: since?.toISOString(), cursor, limit };
      for (const [key, value] of Object.entries(given))
        if (value !== undefined) search.set(key, String(value));
      const path = `/budgets/${encodeURIComponent(name)}/usage?${search}`;
      return (await (await api.get(path, asJson, null)).json()) as BudgetUsagePage;
    },
    async setBudgetLimit(name, limit, { idempotencyKey, ...options } = {}) {
      const path = `/budgets/${encodeURIComponent(name)}/limit`;
      const headers = { ...asJson, ...(idempotencyKey && { "idempotency-key": idempotencyKey }) };
      return (await (await api.put(path, { limit, ...options }, headers)).json()) as BudgetLimitAnswer;
    },
    follow(asked, onMessage, onError = () => undefined) {
      const following = events(asked);
      const run = async () => {
        for await (const message of following) onMessage(message);
      };
      run().catch(onError);
      return following;
    },
  };
}
