import { type Environment, environmentError, wholeNumber } from "@lockstep/app-kit";

/** All that the app can be told, read from the environment once. */
export interface DocumentOcrConfig {
  /** Null: the database of the `lockstep dev` that runs in this folder, or one of the app's own. */
  readonly databaseUrl: string | null;
  readonly port: number;
  /** 0: others work on this database, and here is only the page. */
  readonly workerCount: number;
  /** How many documents one worker has at a time, whatever their stages. */
  readonly documentsAtOnce: number;
  /** How many pages of a document are read at a time. */
  readonly pagesAtOnce: number;
  /** PDFs that appear here are read; null: there is no such folder. */
  readonly watchFolder: string | null;
  /** Where each try gets a folder of its own; null: the system's folder for such. */
  readonly tempFolder: string | null;
  readonly storeBytes: number;
  readonly keepDays: number;
  readonly fetchTimeoutMs: number;
  /** Private addresses that documents may be fetched from all the same. */
  readonly fetchAllow: readonly string[];
  /** Null: everything is read and cleaned on this machine. */
  readonly model: ModelConfig | null;
}

export interface ModelConfig {
  readonly name: string;
  readonly apiKey: string;
  /** Null: Google itself. */
  readonly baseUrl: string | null;
  readonly timeoutMs: number;
}

const mebibyte = 1_048_576;

/** A wrong value is refused with the name of its variable; an empty one counts as not set. */
export function readDocumentOcrConfig(env: Environment): DocumentOcrConfig {
  return {
    databaseUrl: env.DATABASE_URL || null,
    port: wholeNumber(env, "OCR_PORT", 4420, { least: 0, most: 65_535 }),
    workerCount: wholeNumber(env, "OCR_WORKER_COUNT", 2, { least: 0, most: 64 }),
    documentsAtOnce: wholeNumber(env, "OCR_DOCUMENTS_AT_ONCE", 1, { least: 1, most: 32 }),
    pagesAtOnce: wholeNumber(env, "OCR_PAGES_AT_ONCE", 1, { least: 1, most: 16 }),
    watchFolder: env.OCR_WATCH_FOLDER || null,
    tempFolder: env.OCR_TEMP_FOLDER || null,
    storeBytes: wholeNumber(env, "OCR_STORE_MIB", 2_048, { least: 1, most: 1_048_576 }) * mebibyte,
    keepDays: wholeNumber(env, "OCR_KEEP_DAYS", 30, { least: 1, most: 3_650 }),
    fetchTimeoutMs: wholeNumber(env, "OCR_FETCH_TIMEOUT_MS", 60_000, { least: 100, most: 600_000 }),
    fetchAllow: (env.OCR_FETCH_ALLOW ?? "").split(/[\s,]+/).filter((entry) => entry !== ""),
    model: readModel(env),
  };
}

function readModel(env: Environment): ModelConfig | null {
  const apiKey = env.GOOGLE_GENERATIVE_AI_API_KEY || null;
  if (apiKey === null) return null;
  const baseUrl = env.OCR_MODEL_BASE_URL || null;
  if (baseUrl !== null && !/^https?:\/\//.test(baseUrl)) {
    throw environmentError("OCR_MODEL_BASE_URL", "must be an address such as http://127.0.0.1:9000/v1beta.");
  }
  return {
    name: env.OCR_MODEL_NAME || "gemini-2.5-flash",
    apiKey,
    baseUrl,
    timeoutMs: wholeNumber(env, "OCR_MODEL_TIMEOUT_MS", 60_000, { least: 100, most: 600_000 }),
  };
}
