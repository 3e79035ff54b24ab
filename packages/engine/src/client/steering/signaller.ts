import type { EngineEvents } from "../../events/engine-events.ts";
import type { TransactionOption } from "../../jobs/adding/add-options.ts";
import {
  checkSignalOptions,
  type SignalAnswer,
  SignalError,
  type SignalledByKey,
  type SignalOptions,
} from "../../jobs/adding/signal.ts";
import { type AnyPipeline, isWait } from "../../jobs/pipelines/pipeline.ts";
import { encodePayload } from "../../jobs/values/json-value.ts";
import { didYouMean } from "../../jobs/values/nearest-name.ts";
import { validatePayload } from "../../jobs/values/standard-schema.ts";
import {
  type GivenSignal,
  type SignalStore,
  signalByKeyIn,
  signalIn,
} from "../../store/steering/signal-store.ts";
import { openTransaction } from "../../store/transactions/open-transaction.ts";
import { checkedJobId } from "../reading/checked-job-id.ts";

export interface SignallerParts {
  readonly store: Pick<SignalStore, "signal" | "signalByKey">;
  readonly schema: string;
  readonly events: EngineEvents;
  /** Jobs have gone on: a worker in this process may look for them. */
  readonly onAdded: () => void;
}

/** Tells jobs what they wait for. */
export class Signaller {
  readonly #parts: SignallerParts;

  constructor(parts: SignallerParts) {
    this.#parts = parts;
  }

  /** Of a pipeline of this process the value is checked here, by its own validator; of another one by the database. */
  async signal(
    pipeline: AnyPipeline | null,
    id: string,
    name: string,
    value: unknown,
    options: SignalOptions & TransactionOption,
  ): Promise<SignalAnswer> {
    checkSignalOptions(options, ["by", "ifVersion", "tx"]);
    const jobId = checkedJobId(id);
    const signal = await this.#given(pipeline, name, value, options);
    if ("tx" in options) return signalIn(openTransaction(options.tx, this.#parts.schema), jobId, signal);
    const answer = await this.#parts.store.signal(jobId, signal);
    this.#tell(jobId, name, answer);
    return answer;
  }

  async signalByKey(
    pipeline: AnyPipeline,
    key: string,
    name: string,
    value: unknown,
    options: Pick<SignalOptions, "by"> & TransactionOption,
  ): Promise<SignalledByKey> {
    checkSignalOptions(options, ["by", "tx"]);
    if (typeof key !== "string") throw new SignalError("The key of a signal must be a text.");
    const signal = await this.#given(pipeline, name, value, options);
    if ("tx" in options) {
      return signalByKeyIn(openTransaction(options.tx, this.#parts.schema), pipeline.name, key, signal);
    }
    const signalled = await this.#parts.store.signalByKey(pipeline.name, key, signal);
    if (signalled.jobId !== null) this.#tell(signalled.jobId, name, signalled.answer);
    return signalled;
  }

  async #given(
    pipeline: AnyPipeline | null,
    name: string,
    value: unknown,
    { by, ifVersion }: SignalOptions,
  ): Promise<GivenSignal> {
    if (typeof name !== "string") throw new SignalError("A signal goes to a wait, by its name.");
    const json = encodePayload(value);
    const schema = pipeline === null ? null : schemaOf(pipeline, name);
    if (schema !== null) await validatePayload(schema, JSON.parse(json));
    return {
      name,
      value: json,
      by: by ?? null,
      ifVersion: ifVersion ?? null,
      ifShown: null,
      isRecorded: false,
    };
  }

  #tell(jobId: string, signal: string, answer: SignalAnswer): void {
    if (answer !== "signalled") return;
    this.#parts.events.emit("job.signalled", { jobId, signal });
    this.#parts.onAdded();
  }
}

/** Of a pipeline of another process, of which only the name is known, null: the database checks it. */
function schemaOf({ name, stages }: AnyPipeline, wait: string) {
  if (stages.length === 0) return null;
  const waits = stages.filter(isWait).filter((stage) => stage.wait.kind === "wait");
  const found = waits.find((stage) => stage.name === wait);
  if (found !== undefined) return found.wait.schema;
  const names = waits.map((stage) => stage.name);
  throw new SignalError(`Pipeline "${name}" has no wait "${wait}".${didYouMean(wait, names)}`);
}
