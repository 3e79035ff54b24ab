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

  /** One look. Documents that are no longer listed are forgotten, so that it does not grow for ever. */
  async look(): Promise<void> {
    const documents = await this.#list();
    const told = new Set<string>();
    for (const document of documents) {
      if (!this.#told.has(document.id)) await this.#onDocument(document);
      told.add(document.id);
    }
    this.#told = told;
  }
}
