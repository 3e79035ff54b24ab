import { createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type pg from "pg";
import type { OcrDatabase } from "./ocr-database.ts";

/** A file by the hash of its bytes. */
export interface StoredFile {
  readonly sha256: string;
  readonly sizeBytes: number;
}

export interface FileStoreLimits {
  readonly quotaBytes: number;
  readonly keepDays: number;
}

const pieceBytes = 1_048_576;
/** The last tenth stays free for the results of what was taken in before. */
const openToDocuments = 0.9;

/** Documents and results in PostgreSQL, where every worker finds them, on whatever machine it runs. */
export class FileStore {
  readonly #db: OcrDatabase;
  readonly #limits: FileStoreLimits;

  constructor(db: OcrDatabase, limits: FileStoreLimits) {
    this.#db = db;
    this.#limits = limits;
  }

  /** Keeps what lies in a file; bytes that are there already are not written again. */
  async save(file: StoredFile & { path: string }, kind: "document" | "result"): Promise<StoredFile> {
    const { sha256, sizeBytes, path } = file;
    if (await this.#touch(sha256)) return { sha256, sizeBytes };
    await this.#db.inTransaction(async (tx) => {
      // One at a time, so that what is free is still free when it is taken.
      await tx.query("select pg_advisory_xact_lock(7146204)");
      await this.#checkRoom(tx, sizeBytes, kind);
      const { rowCount } = await tx.query(
        "insert into document_ocr.files (sha256, size_bytes) values ($1, $2) on conflict do nothing",
        [sha256, sizeBytes],
      );
      if (rowCount === 1) await savePieces(tx, sha256, path);
    });
    return { sha256, sizeBytes };
  }

  /** Its bytes, a piece at a time. */
  async *read(sha256: string): AsyncGenerator<Buffer, void> {
    if (!(await this.#touch(sha256))) throw new FileGoneError(sha256);
    for (let piece = 0; ; piece += 1) {
      const [row] = await this.#db.rows<{ bytes: Buffer }>(
        "select bytes from document_ocr.file_pieces where sha256 = $1 and piece = $2",
        [sha256, piece],
      );
      if (row === undefined) return;
      yield row.bytes;
    }
  }

  /** Makes a file of it, for programs that want one. */
  async copyTo(sha256: string, path: string): Promise<void> {
    await pipeline(this.read(sha256), createWriteStream(path, { flags: "wx", mode: 0o600 }));
  }

  /** False: it is not there. */
  async #touch(sha256: string): Promise<boolean> {
    const rows = await this.#db.rows(
      "update document_ocr.files set used_at = now() where sha256 = $1 returning sha256",
      [sha256],
    );
    return rows.length > 0;
  }

  async #checkRoom(tx: pg.ClientBase, sizeBytes: number, kind: "document" | "result"): Promise<void> {
    const { quotaBytes, keepDays } = this.#limits;
    await tx.query("delete from document_ocr.files where used_at < now() - make_interval(days => $1)", [
      keepDays,
    ]);
    const { rows } = await tx.query(
      "select coalesce(sum(size_bytes), 0)::float8 as used from document_ocr.files",
    );
    const allowed = kind === "document" ? quotaBytes * openToDocuments : quotaBytes;
    if (Number(rows[0]?.used) + sizeBytes > allowed) throw new StoreFullError(quotaBytes, keepDays);
  }
}

async function savePieces(tx: pg.ClientBase, sha256: string, path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    const buffer = Buffer.alloc(pieceBytes);
    for (let piece = 0; ; piece += 1) {
      const { bytesRead } = await file.read(buffer, 0, pieceBytes, piece * pieceBytes);
      if (bytesRead === 0) return;
      await tx.query("insert into document_ocr.file_pieces (sha256, piece, bytes) values ($1, $2, $3)", [
        sha256,
        piece,
        buffer.subarray(0, bytesRead),
      ]);
    }
  } finally {
    await file.close();
  }
}

/** Files that were not used for long are deleted, so another try may find room. */
export class StoreFullError extends Error {
  override readonly name = "StoreFullError";

  constructor(quotaBytes: number, keepDays: number) {
    super(
      `The store is full: documents and results may take ${Math.round(quotaBytes / 1_048_576)} MiB. Raise OCR_STORE_MIB, or lower OCR_KEEP_DAYS (${keepDays}) so that old ones are deleted earlier.`,
    );
  }
}

export class FileGoneError extends Error {
  override readonly name = "FileGoneError";

  constructor(sha256: string) {
    super(`The file ${sha256.slice(0, 12)}… is not stored, or no longer. Add the document again.`);
  }
}
