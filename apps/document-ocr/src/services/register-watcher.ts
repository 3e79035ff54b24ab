import { InvalidPayloadError } from "lockstep";
import type { RegisterDocument } from "./register-client.ts";

/** Looks at the list of a register and reports each document once. */
export class RegisterWatcher {
  readonly #list: () => Promise<readonly RegisterDocument[]>;
  readonly #onDocument: (document: RegisterDocument) => Promise<void>;
  #told = new Set<string>();

  constructor(
    list: () => Promise<readonly RegisterDocument[]>,
    onDocument: (document: RegisterDocument) => Promise<void>,
  ) {
    this.#list = list;
    this.#onDocument = onDocument;
  }

  /**
   * One look. Documents that are no longer listed are forgotten, so that it does not grow for ever. One that cannot be a source
   * does not hold up those behind it: it is named at the end.
   */
  async look(): Promise<void> {
    const documents = await this.#list();
    const told = new Set<string>();
    const refused: string[] = [];
    for (const document of documents) {
      try {
        if (!this.#told.has(document.id)) await this.#onDocument(document);
        told.add(document.id);
      } catch (error) {
        if (!(error instanceof InvalidPayloadError)) throw error;
        refused.push(document.id);
      }
    }
    this.#told = told;
    if (refused.length > 0) {
      const first = JSON.stringify(refused[0]?.slice(0, 100));
      throw new Error(
        `${refused.length} of its documents cannot be taken, the first of them ${first}: ids are letters, digits, "_", "." and "-".`,
      );
    }
  }
}
