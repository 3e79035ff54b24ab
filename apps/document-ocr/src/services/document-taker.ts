import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { PermanentError } from "lockstep";

/** A document that lies in a file, with the hash of its bytes. */
export interface TakenDocument {
  readonly path: string;
  readonly sha256: string;
  readonly sizeBytes: number;
}

export const maxDocumentBytes = 25 * 1_048_576;
const headBytes = 1_024;

/** The document itself is at fault: it comes out the same however often it is tried. */
export class DocumentRefusal extends PermanentError {
  override readonly name = "DocumentRefusal";
  readonly reason: "empty" | "too_large" | "not_a_pdf";

  constructor(reason: DocumentRefusal["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Takes a document in as it comes, straight into a file; too large a one or no PDF is refused at the first byte that shows it. */
export class DocumentTaker {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #hash = createHash("sha256");
  #head = Buffer.alloc(0);
  #sizeBytes = 0;

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  /** Into a folder of the caller's own, which also takes it away again. */
  static async take(
    folder: string,
    give: (take: (chunk: Uint8Array) => Promise<void>) => Promise<unknown>,
  ): Promise<TakenDocument> {
    const path = join(folder, "document.pdf");
    const file = await open(path, "wx", 0o600);
    try {
      const taker = new DocumentTaker(path, file);
      await give((chunk) => taker.#write(chunk));
      return taker.#end();
    } finally {
      await file.close();
    }
  }

  async #write(chunk: Uint8Array): Promise<void> {
    this.#sizeBytes += chunk.length;
    checkSize(this.#sizeBytes);
    if (this.#head.length < headBytes) {
      this.#head = Buffer.concat([this.#head, chunk]).subarray(0, headBytes);
      if (this.#head.length === headBytes) this.#checkHead();
    }
    this.#hash.update(chunk);
    await this.#file.appendFile(chunk);
  }

  #end(): TakenDocument {
    if (this.#sizeBytes === 0) throw new DocumentRefusal("empty", "The document is empty: it has no bytes.");
    this.#checkHead();
    return { path: this.#path, sha256: this.#hash.digest("hex"), sizeBytes: this.#sizeBytes };
  }

  // Where readers look for it: some programs write something of their own before it.
  #checkHead(): void {
    if (this.#head.includes("%PDF-")) return;
    throw new DocumentRefusal(
      "not_a_pdf",
      'The document is not a PDF: there is no "%PDF-" in its first 1,024 bytes. Convert it to PDF first.',
    );
  }
}

/** Also for those who know the size before the first byte. */
export function checkSize(sizeBytes: number): void {
  if (sizeBytes <= maxDocumentBytes) return;
  throw new DocumentRefusal(
    "too_large",
    `The document is larger than ${maxDocumentBytes / 1_048_576} MiB, which is the most that is read. Split it, or scan it at a lower resolution.`,
  );
}
