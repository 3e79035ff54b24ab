import { defaultSchema } from "@lockstep/database";
import type { ConnectionTarget } from "@lockstep/database/internal";
import type { Clock } from "../../clock.ts";
import { type Hearer, ListenConnection } from "./listen-connection.ts";

export interface WakeUpListenerParts {
  readonly target: ConnectionTarget;
  /** The name of the schema, with which its channels begin; the usual one unless told. */
  readonly schema?: string;
  readonly clock: Clock;
  readonly onWakeUp: () => void;
  readonly onCancel: () => void;
}

// Those who ask whether a process is ready do not wait for long.
const hearWithinMs = 500;

/** Hears "look now" and "cancel asked". Only hints: polling finds everything too, so nothing ever waits for this. */
export class WakeUpListener {
  readonly #parts: WakeUpListenerParts;
  #pingChannel = "";
  #hearer: Hearer | null = null;
  #connection: ListenConnection | null = null;
  #pings = new Map<string, AbortController>();
  #pingCount = 0;

  constructor(parts: WakeUpListenerParts) {
    this.#parts = parts;
  }

  /** Once is enough, until it is stopped. */
  start(workerId: string): void {
    if (this.#hearer !== null) return;
    const { clock, target, schema = defaultSchema, onWakeUp, onCancel } = this.#parts;
    const worker = workerId.replaceAll("-", "");
    this.#pingChannel = `${schema}_ping_${worker}`;
    this.#hearer = {
      channels: new Map([
        [`${schema}_${worker}`, onWakeUp],
        [`${schema}_cancel_${worker}`, onCancel],
        [this.#pingChannel, (payload: string) => this.#pings.get(payload)?.abort()],
      ]),
      onHearing: () => {
        onWakeUp();
        onCancel();
      },
    };
    this.#connection = ListenConnection.join(clock, target, this.#hearer);
  }

  async stop(): Promise<void> {
    const [connection, hearer] = [this.#connection, this.#hearer];
    this.#connection = null;
    this.#hearer = null;
    if (hearer !== null) await connection?.leave(hearer);
  }

  /**
   * How long it takes until a notification that another connection sends is heard, with the sending; half a second, if
   * it is not heard within it, and null while there is no connection to hear it.
   */
  async lagMs(notify: (channel: string, payload: string) => Promise<void>): Promise<number | null> {
    if (!this.isListening) return null;
    const { clock } = this.#parts;
    const heard = new AbortController();
    this.#pingCount += 1;
    const payload = String(this.#pingCount);
    this.#pings.set(payload, heard);
    try {
      const beganAtMs = clock.monotonicMs();
      let failure: unknown = null;
      void notify(this.#pingChannel, payload).catch((error) => {
        failure = error;
        heard.abort();
      });
      await clock.sleep(hearWithinMs, heard.signal);
      if (failure !== null) throw failure;
      return Math.min(hearWithinMs, clock.monotonicMs() - beganAtMs);
    } finally {
      this.#pings.delete(payload);
    }
  }

  /** For the health report. */
  get isListening(): boolean {
    return this.#hearer !== null && (this.#connection?.isHearing(this.#hearer) ?? false);
  }
}
