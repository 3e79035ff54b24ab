import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { AddressGuard, FetchError, GuardedFetch, retryAfterMs } from "@lockstep/guarded-fetch";
import { PermanentError, RetryAfter } from "lockstep";
import { FileGoneError, type FileStore } from "../store/file-store.ts";
import type { DocumentSource } from "./document-source.ts";
import { DocumentTaker, maxDocumentBytes, type TakenDocument } from "./document-taker.ts";
import type { RegisterClient } from "./register-client.ts";

const types = ["application/pdf", "application/x-pdf", "application/octet-stream", "binary/octet-stream"];
const samples = fileURLToPath(new URL("../../samples", import.meta.url));
const passingStatuses = new Set([408, 425, 429]);

/** Gets a document from where it is said to be. */
export class DocumentFetcher {
  readonly #fetch: GuardedFetch;
  readonly #files: Pick<FileStore, "read">;
  readonly #watchFolder: string | null;
  readonly #register: RegisterClient | null;

  constructor(parts: {
    files: Pick<FileStore, "read">;
    watchFolder: string | null;
    register: RegisterClient | null;
    allow: readonly string[];
    timeoutMs: number;
  }) {
    this.#files = parts.files;
    this.#watchFolder = parts.watchFolder;
    this.#register = parts.register;
    this.#fetch = new GuardedFetch({
      guard: new AddressGuard({ allow: parts.allow }),
      userAgent: "LockstepDocumentOcr/1.0",
      limits: { totalMs: parts.timeoutMs, maxBytes: maxDocumentBytes },
    });
  }

  get(source: DocumentSource, folder: string, signal: AbortSignal): Promise<TakenDocument> {
    return DocumentTaker.take(folder, (take) => {
      switch (source.kind) {
        case "url":
          return this.#fromUrl(source.url, take, signal);
        case "upload":
          return this.#fromStore(source.sha256, take);
        case "sample":
          return fromFolder(samples, source.name, take);
        case "register":
          return this.#fromRegister().fetch(source.id, take, signal);
        case "folder":
          return fromFolder(this.#folder(), source.name, take);
      }
    });
  }

  async #fromUrl(url: string, take: (chunk: Buffer) => Promise<void>, signal: AbortSignal): Promise<void> {
    const answer = await this.#fetch.get(url, { signal, types, onChunk: take }).catch((error: unknown) => {
      throw asOutcome(error);
    });
    const { status, headers } = answer;
    if (status >= 200 && status <= 299) return;
    const sentence = `${answer.url.host}${answer.url.pathname.slice(0, 200)} answers with ${status}.`;
    if (status < 500 && !passingStatuses.has(status)) throw new PermanentError(sentence);
    const afterMs = retryAfterMs(headers["retry-after"], Date.now());
    throw afterMs === null ? new Error(sentence) : new RetryAfter(sentence, { afterMs });
  }

  async #fromStore(sha256: string, take: (chunk: Buffer) => Promise<void>): Promise<void> {
    try {
      for await (const piece of this.#files.read(sha256)) await take(piece);
    } catch (error) {
      throw error instanceof FileGoneError ? new PermanentError(error.message, { cause: error }) : error;
    }
  }

  #fromRegister(): RegisterClient {
    if (this.#register !== null) return this.#register;
    throw new PermanentError("No register is known here: set OCR_REGISTER_URL for the workers.");
  }

  #folder(): string {
    if (this.#watchFolder !== null) return this.#watchFolder;
    throw new PermanentError("No folder is watched here: set OCR_WATCH_FOLDER for the workers.");
  }
}

async function fromFolder(
  folder: string,
  name: string,
  take: (chunk: Buffer) => Promise<void>,
): Promise<void> {
  // Not through links: otherwise anyone who may write into the folder could read what the worker can.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(join(folder, name), flags).catch((error: unknown) => {
    throw new PermanentError(`${name} cannot be opened in the folder: ${codeOf(error)}.`, { cause: error });
  });
  try {
    if (!(await file.stat()).isFile()) throw new PermanentError(`${name} is not a regular file.`);
    for await (const chunk of file.createReadStream({ autoClose: false })) await take(chunk);
  } finally {
    await file.close();
  }
}

function codeOf(error: unknown): string {
  const { code } = error as { code?: string };
  if (code === "ENOENT") return "it is not there";
  return code === "ELOOP" ? "it is a link, and links are not followed" : String(code);
}

/** Whether another try could help is said by what went wrong. */
function asOutcome(error: unknown): unknown {
  if (!(error instanceof FetchError) || !error.isFinal) return error;
  const isPrivate = error.kind === "address" || error.kind === "port";
  const advice = isPrivate ? " If it is meant to be, name it in OCR_FETCH_ALLOW." : "";
  return new PermanentError(`${error.message}${advice}`, { cause: error });
}
