import { errorText } from "../jobs/outcomes/error-text.ts";
import { jobErrorOf } from "../jobs/outcomes/job-error.ts";
import type { Outcome } from "../jobs/outcomes/outcome.ts";
import type { EndedWait } from "../jobs/reading/ended-wait.ts";
import type { Added, JobError } from "../jobs/reading/job.ts";
import type {
  Telemetry,
  TelemetryAttributes,
  TelemetrySpan,
  TelemetrySpanContext,
  TelemetryTracer,
} from "./telemetry.ts";
import { attribute } from "./telemetry-names.ts";
import { spanContextOf, traceparentOf } from "./trace-context.ts";

// The numbers of SpanKind and SpanStatusCode, which no release of the API can change.
const internalKind = 0;
const producerKind = 3;
const consumerKind = 4;
const errorCode = 2;

/** What is asked of an attempt to trace it. */
export interface TracedRun {
  readonly jobId: string;
  readonly pipeline: string;
  readonly stage: string;
  readonly attempt: number;
  readonly claim: { readonly more: { readonly trace: string | null } | null };
}

interface TracedStage {
  readonly pipeline: { readonly name: string };
  readonly definition: { readonly name: string };
}

/** Spans for adds, attempts, calls of batch handlers and waits. There is none at all unless an SDK is registered: then no job pays for it. */
export class JobTracing {
  readonly #telemetry: Telemetry;
  readonly #tracer: TelemetryTracer;

  /** Null when nobody would see the spans. */
  static from(telemetry: Telemetry | null, version: string): JobTracing | null {
    if (telemetry === null) return null;
    const tracer = telemetry.trace.getTracer("lockstep", version);
    // Without an SDK every span has the invalid context. Never ended, this one is never exported.
    const probe = tracer.startSpan("probe", { kind: producerKind, attributes: {}, root: true });
    return telemetry.isSpanContextValid(probe.spanContext()) ? new JobTracing(telemetry, tracer) : null;
  }

  private constructor(telemetry: Telemetry, tracer: TelemetryTracer) {
    this.#telemetry = telemetry;
    this.#tracer = tracer;
  }

  /** One span for an add, of however many jobs: its context is what they carry. */
  async add<Answer extends Added | Added[]>(
    pipeline: string,
    count: number | null,
    adding: (trace: string) => Promise<Answer>,
  ): Promise<Answer> {
    const attributes: TelemetryAttributes = { ...about(pipeline, "add"), "messaging.operation.type": "send" };
    if (count !== null) attributes["messaging.batch.message_count"] = count;
    const span = this.#tracer.startSpan(`add ${pipeline}`, { kind: producerKind, attributes });
    try {
      const added = await adding(traceparentOf(span.spanContext()));
      if (!Array.isArray(added)) {
        span.setAttribute("messaging.message.id", added.id);
        span.setAttribute(attribute.created, added.created);
      }
      return added;
    } catch (error) {
      recordError(span, jobErrorOf(error));
      throw error;
    } finally {
      span.end();
    }
  }

  /** A span for one attempt, a trace of its own with a link to the add: hours and other attempts may lie between them. */
  attempt(run: TracedRun): AttemptSpan {
    const { claim, pipeline, stage } = run;
    const span = this.#tracer.startSpan(`${pipeline}/${stage}`, {
      kind: consumerKind,
      root: true,
      attributes: {
        ...about(pipeline, "process"),
        "messaging.operation.type": "process",
        "messaging.message.id": run.jobId,
        [attribute.stage]: stage,
        [attribute.attempt]: run.attempt,
      },
      links: linksTo(claim.more?.trace ?? null),
    });
    return new AttemptSpan(this.#telemetry, span);
  }

  /** A span for a wait, once it is over: from the moment the job came to it. Like an attempt, it is a trace of its own. */
  wait({ jobId, pipeline, stage, outcome, since, endedAt, error, trace }: EndedWait): void {
    const span = this.#tracer.startSpan(`${pipeline}/${stage}`, {
      kind: internalKind,
      root: true,
      startTime: since,
      attributes: {
        ...about(pipeline, "wait"),
        "messaging.message.id": jobId,
        [attribute.stage]: stage,
        [attribute.outcome]: outcome,
      },
      links: linksTo(trace),
    });
    if (error !== null) recordError(span, error);
    span.end(endedAt);
  }

  /** A span for one call of a batch handler, with links to the attempts that it is for. */
  call({ pipeline, definition }: TracedStage, attempts: readonly AttemptSpan[]): AttemptSpan {
    const span = this.#tracer.startSpan(`call ${pipeline.name}/${definition.name}`, {
      kind: internalKind,
      root: true,
      attributes: {
        ...about(pipeline.name, "process"),
        "messaging.batch.message_count": attempts.length,
        [attribute.stage]: definition.name,
      },
      links: attempts.map(({ context }) => ({ context })),
    });
    return new AttemptSpan(this.#telemetry, span);
  }
}

/** The span of an attempt, or of a call for several, that is under way. */
export class AttemptSpan {
  readonly #telemetry: Telemetry;
  readonly #span: TelemetrySpan;

  constructor(telemetry: Telemetry, span: TelemetrySpan) {
    this.#telemetry = telemetry;
    this.#span = span;
  }

  get context(): TelemetrySpanContext {
    return this.#span.spanContext();
  }

  /** Spans that the work makes are children of this one. */
  within<Result>(work: () => Result): Result {
    const { trace, context, ROOT_CONTEXT } = this.#telemetry;
    // From the root: the worker's loops run in the context of whoever woke them, an add for example.
    return context.with(trace.setSpan(ROOT_CONTEXT, this.#span), work);
  }

  end(outcome: Outcome): void {
    this.#span.setAttribute(attribute.outcome, outcomeWord(outcome));
    if ("error" in outcome) recordError(this.#span, outcome.error);
    this.#span.end();
  }
}

/** To the add whose context a job carries. */
function linksTo(traceparent: string | null): { context: TelemetrySpanContext }[] {
  const context = traceparent === null ? null : spanContextOf(traceparent);
  return context === null ? [] : [{ context }];
}

function about(pipeline: string, operation: string): TelemetryAttributes {
  return {
    "messaging.system": "lockstep",
    "messaging.operation.name": operation,
    "messaging.destination.name": pipeline,
  };
}

function recordError(span: TelemetrySpan, error: JobError): void {
  const { name, message } = error;
  span.setAttribute("error.type", name);
  span.recordException({ name, message, stack: errorText(error) });
  span.setStatus({ code: errorCode, message });
}

/** As the attempts of a job are called. */
function outcomeWord(outcome: Outcome): string {
  switch (outcome.kind) {
    case "done":
    case "finish":
      return "done";
    case "skip":
      return "skipped";
    case "snooze":
      return "snoozed";
    case "release":
      return "released";
    default:
      return "timedOut" in outcome && outcome.timedOut === true ? "timeout" : "failed";
  }
}
