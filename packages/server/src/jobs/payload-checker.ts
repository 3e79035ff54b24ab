import { type Clock, type Engine, InvalidPayloadError, type PipelineInfo, type Reader } from "lockstep";
import { z } from "zod";
import { ProblemError } from "../middleware/problem-error.ts";

const keptMs = 5_000;

/**
 * Checks payloads for pipelines of other processes, by the JSON Schema that their workers have told the database. Those
 * of this process are checked by their own validators, in the engine.
 */
export class PayloadChecker {
  readonly #engine: Pick<Engine, "pipelines">;
  readonly #reader: Pick<Reader, "pipelines">;
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #validators = new WeakMap<PipelineInfo, z.ZodType | null>();
  #known: readonly PipelineInfo[] = [];
  #readAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: {
    engine: Pick<Engine, "pipelines">;
    reader: Pick<Reader, "pipelines">;
    clock: Pick<Clock, "monotonicMs">;
  }) {
    this.#engine = parts.engine;
    this.#reader = parts.reader;
    this.#clock = parts.clock;
  }

  async check(pipeline: string, payloads: readonly unknown[]): Promise<void> {
    if (this.#engine.pipelines.some(({ name }) => name === pipeline)) return;
    const validator = this.#validatorOf(await this.#pipeline(pipeline));
    if (validator === null) return;
    for (const [index, payload] of payloads.entries()) {
      const result = validator.safeParse(payload);
      if (!result.success) throw invalid(result.error, payloads.length === 1 ? null : index);
    }
  }

  async #pipeline(name: string): Promise<PipelineInfo> {
    // One that was defined a moment ago must not be refused for as long as the others are remembered.
    if (this.#find(name) === undefined) await this.#read();
    const found = this.#find(name);
    if (found !== undefined) return found;
    throw new ProblemError(
      "pipeline.unknown",
      `There is no pipeline "${name}": start a worker that has it, or look at GET /pipelines.`,
      { errors: [{ pointer: "/pipeline", detail: "is not known" }] },
    );
  }

  #find(name: string): PipelineInfo | undefined {
    if (this.#clock.monotonicMs() - this.#readAtMs > keptMs) return undefined;
    return this.#known.find((pipeline) => pipeline.name === name);
  }

  async #read(): Promise<void> {
    this.#known = await this.#reader.pipelines();
    this.#readAtMs = this.#clock.monotonicMs();
  }

  #validatorOf(pipeline: PipelineInfo): z.ZodType | null {
    const known = this.#validators.get(pipeline);
    if (known !== undefined) return known;
    const made = validatorFrom(pipeline.payloadSchema);
    this.#validators.set(pipeline, made);
    return made;
  }
}

function validatorFrom(schema: PipelineInfo["payloadSchema"]): z.ZodType | null {
  if (schema === null) return null;
  try {
    return z.fromJSONSchema(schema);
  } catch {
    // A word of JSON Schema that is not understood here: the worker's own validator decides when the job runs.
    return null;
  }
}

function invalid(error: z.ZodError, index: number | null): Error {
  const issues = error.issues.map(({ path, message }) => ({
    pointer: path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join(""),
    message,
  }));
  const [first] = issues;
  const sentence = `The payload is not valid: ${first?.pointer || "payload"}: ${first?.message}.`;
  if (index === null) return new InvalidPayloadError(sentence, issues);
  return new ProblemError("payload.invalid", sentence, {
    errors: issues.map(({ pointer, message }) => ({
      pointer: `/jobs/${index}/payload${pointer}`,
      detail: message,
    })),
  });
}
