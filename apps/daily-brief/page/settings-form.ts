import { part } from "@lockstep/app-kit/page/element";
import type { BriefApi, PersonAnswer, Settings } from "./brief-api.ts";
import { fieldIn, fill, onSubmit, valueIn } from "./forms.ts";
import { offerTimeZones } from "./time-zone-options.ts";

export interface SettingsFormParts {
  readonly api: () => BriefApi;
  /** Runs what was asked, draws what has become of it, and shows an error; resolves to whether it went well. */
  readonly act: (asked: Promise<unknown>) => Promise<boolean>;
  /** The account is gone. */
  readonly onGone: () => void;
}

/** Name, zone, hour and channels; unsubscribing and leaving. */
export class SettingsForm {
  readonly #form = part("settings", HTMLFormElement);
  readonly #zones = fieldIn(this.#form, "timeZone");
  readonly #said = part("settings-said", HTMLParagraphElement);
  readonly #dialog = part("leave-dialog", HTMLDialogElement);
  #isChanged = false;

  constructor({ api, act, onGone }: SettingsFormParts) {
    this.#form.addEventListener("input", () => {
      this.#isChanged = true;
      this.#said.textContent = "";
    });
    const save = async (settings: Settings, said: string) => {
      this.#isChanged = false;
      if (await act(api().saveSettings(settings))) this.#said.textContent = said;
      else this.#isChanged = true;
    };
    onSubmit(this.#form, () => save(this.#settings(), "Saved."));
    part("unsubscribe", HTMLButtonElement).onclick = () => {
      const none = { wantsPage: false, wantsEmail: false, wantsSms: false };
      void save({ ...this.#settings(), ...none }, "You have unsubscribed.");
    };
    part("delete-account", HTMLButtonElement).onclick = () => this.#dialog.showModal();
    this.#dialog.addEventListener("click", ({ target }) => {
      if (target instanceof HTMLElement && target.dataset.does === "close") this.#dialog.close();
    });
    onSubmit(part("leave-form", HTMLFormElement), async () => {
      await api().deleteAccount();
      this.#dialog.close();
      onGone();
    });
  }

  /** Starts again for another person. */
  clear(): void {
    this.#isChanged = false;
    this.#said.textContent = "";
  }

  /** What is set, unless somebody is changing it just now. */
  show({ name, timeZone, briefAt, wantsPage, wantsEmail, wantsSms, email, phone }: PersonAnswer): void {
    part("mail-to", HTMLElement).textContent = email ?? "nobody: there is no address";
    part("sms-to", HTMLElement).textContent = phone === null ? "(confirm a number first)" : `to ${phone}`;
    const sms = fieldIn(this.#form, "wantsSms");
    sms.disabled = phone === null;
    if (this.#isChanged) return;
    fill(this.#form, { name, briefAt, wantsPage, wantsEmail, wantsSms });
    if (this.#zones instanceof HTMLSelectElement) void offerTimeZones(this.#zones, timeZone).catch(() => {});
  }

  #settings(): Settings {
    const isOn = (name: string) => {
      const field = fieldIn(this.#form, name);
      return field instanceof HTMLInputElement && field.checked && !field.disabled;
    };
    const values = { name: valueIn(this.#form, "name"), timeZone: this.#zones.value };
    const channels = {
      wantsPage: isOn("wantsPage"),
      wantsEmail: isOn("wantsEmail"),
      wantsSms: isOn("wantsSms"),
    };
    return { ...values, briefAt: valueIn(this.#form, "briefAt"), ...channels };
  }
}
