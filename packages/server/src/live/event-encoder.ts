import type { JobEvent } from "lockstep";

/** Makes the text of an event once for all streams that may see the same of it. */
export class EventEncoder {
  readonly #show: (event: JobEvent, seesData: boolean) => object;
  readonly #texts = { true: new WeakMap<JobEvent, string>(), false: new WeakMap<JobEvent, string>() };

  constructor(show: (event: JobEvent, seesData: boolean) => object) {
    this.#show = show;
  }

  encode(event: JobEvent, seesData: boolean): string {
    const texts = this.#texts[seesData ? "true" : "false"];
    const known = texts.get(event);
    if (known !== undefined) return known;
    const text = JSON.stringify(this.#show(event, seesData));
    texts.set(event, text);
    return text;
  }
}
