/** Attributes of spans and metrics for which the conventions of OpenTelemetry have no name. */
export const attribute = {
  pipeline: "lockstep.pipeline",
  stage: "lockstep.stage",
  attempt: "lockstep.attempt",
  outcome: "lockstep.outcome",
  created: "lockstep.created",
  state: "lockstep.state",
  signal: "lockstep.signal",
} as const;

/** Every instrument there is. The page on observability is compared with this table by a test. */
export const instruments = {
  added: {
    name: "lockstep.jobs.added",
    kind: "counter",
    unit: "{job}",
    description: "Jobs that this engine has added, or found to be there already.",
    attributes: [attribute.pipeline, attribute.created],
  },
  attempts: {
    name: "lockstep.attempts",
    kind: "counter",
    unit: "{attempt}",
    description: "Attempts that have ended here, by what became of them.",
    attributes: [attribute.pipeline, attribute.stage, attribute.outcome],
  },
  duration: {
    name: "lockstep.attempt.duration",
    kind: "histogram",
    unit: "s",
    description: "How long handlers ran whose attempt ended as advanced, completed, retrying or failed.",
    attributes: [attribute.pipeline, attribute.stage, attribute.outcome],
  },
  signals: {
    name: "lockstep.signals",
    kind: "counter",
    unit: "{signal}",
    description: "Signals from this process that a job was waiting for.",
    attributes: [attribute.signal],
  },
  waitsEnded: {
    name: "lockstep.waits.ended",
    kind: "counter",
    unit: "{wait}",
    description: "Sleeps that were over, and waits that timed out, as this worker has ended them.",
    attributes: [],
  },
  lost: {
    name: "lockstep.jobs.lost",
    kind: "counter",
    unit: "{job}",
    description: "Jobs that this worker has taken back from workers that died.",
    attributes: [],
  },
  processors: {
    name: "lockstep.processors",
    kind: "gauge",
    unit: "{processor}",
    description: "Processors of this worker that are idle, busy or in error.",
    attributes: [attribute.pipeline, attribute.stage, attribute.state],
  },
  queued: {
    name: "lockstep.jobs.queued",
    kind: "gauge",
    unit: "{job}",
    description: "Jobs that this worker has claimed and not started.",
    attributes: [attribute.pipeline, attribute.stage],
  },
} as const;
