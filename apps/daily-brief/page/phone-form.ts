import { part } from "@lockstep/app-kit/page/element";
import type { BriefApi, PersonAnswer } from "./brief-api.ts";
import { fieldIn, fill, onSubmit, valueIn } from "./forms.ts";

export interface PhoneFormParts {
  readonly api: () => BriefApi;
  /** Draws what has become of it. */
  readonly draw: () => Promise<void>;
  readonly say: (text: string) => void;
}

/** The number for SMS: none, one that waits for its code, or one that is confirmed. */
export class PhoneForm {
  readonly #ask = part("phone-ask", HTMLFormElement);
  readonly #code = part("phone-code", HTMLFormElement);
  readonly #said = part("phone-said", HTMLParagraphElement);
  readonly #another = part("phone-another", HTMLButtonElement);
  readonly #draw: () => Promise<void>;
  #isAnother = false;

  constructor({ api, draw, say }: PhoneFormParts) {
    this.#draw = draw;
    onSubmit(this.#ask, () =>
      this.#run(async () => {
        await api().askForCode(valueIn(this.#ask, "phone"));
        this.#isAnother = false;
        fill(this.#ask, { phone: "" });
        fill(this.#code, { code: "" });
        await draw();
        fieldIn(this.#code, "code").focus();
      }),
    );
    onSubmit(this.#code, () =>
      this.#run(async () => {
        await api().confirmPhone(valueIn(this.#code, "code").trim());
        say("Your number is confirmed. Briefs come by SMS, too.");
      }),
    );
    this.#another.onclick = () => {
      this.#isAnother = true;
      this.#ask.hidden = false;
      this.#another.hidden = true;
      fieldIn(this.#ask, "phone").focus();
    };
    part("phone-remove", HTMLButtonElement).onclick = () => void this.#run(() => api().removePhone());
  }

  /** `sendsSms`: there is a provider; without one the code is in the outbox. */
  show({ phone, phoneWaiting }: PersonAnswer, sendsSms: boolean): void {
    part("phone-have", HTMLElement).hidden = phone === null;
    part("phone-number", HTMLElement).textContent = phone;
    this.#code.hidden = phoneWaiting === null;
    part("phone-waiting", HTMLElement).textContent = sendsSms
      ? `A code is on its way to ${phoneWaiting}. It works for 10 minutes.`
      : `There is no SMS provider: you find the code for ${phoneWaiting} in the outbox, under Messages.`;
    const isFirst = phone === null && phoneWaiting === null;
    this.#ask.hidden = !isFirst && !this.#isAnother;
    this.#another.hidden = isFirst || this.#isAnother;
  }

  /** Starts again for another person. */
  clear(): void {
    this.#isAnother = false;
    this.#said.textContent = "";
  }

  async #run(asked: () => Promise<unknown>): Promise<void> {
    try {
      await asked();
      this.#said.textContent = "";
    } catch (error) {
      this.#said.textContent = error instanceof Error ? error.message : String(error);
    }
    await this.#draw().catch(() => {});
  }
}
