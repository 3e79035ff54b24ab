import {
  databaseUrl,
  type Environment,
  list,
  orNull,
  port,
  readEnvironment,
  text,
  timeoutMs,
  webAddress,
  wholeNumber,
} from "@lockstep/app-kit/environment";

/** All settings of the app, read from the environment once. */
export interface DocumentOcrConfig {
  /** Null: the database of the `lockstep dev` that runs in this folder, or one of the app's own. */
  readonly databaseUrl: string | null;
  readonly port: number;
  /** 0: other processes run the jobs, and this one only serves the page. */
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
  /** Private addresses that documents may be fetched from anyway. */
  readonly fetchAllow: readonly string[];
  /** Where documents are listed and fetched after signing in; null: there is no such register. */
  readonly register: RegisterConfig | null;
  /** Null: everything is read and cleaned on this machine. */
  readonly model: ModelConfig | null;
}

export interface RegisterConfig {
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly timeoutMs: number;
  /** How often its list is looked at. */
  readonly intervalMs: number;
}

export interface ModelConfig {
  readonly name: string;
  readonly apiKey: string;
  /** Null: Google itself. */
  readonly baseUrl: string | null;
  readonly timeoutMs: number;
}

const mebibyte = 1_048_576;

const folder = orNull(text("must be the path of a folder"));

const variables = {
  DATABASE_URL: databaseUrl,
  OCR_PORT: port.default(4420),
  OCR_WORKER_COUNT: wholeNumber({ least: 0, most: 64 }).default(2),
  OCR_DOCUMENTS_AT_ONCE: wholeNumber({ least: 1, most: 32 }).default(1),
  OCR_PAGES_AT_ONCE: wholeNumber({ least: 1, most: 16 }).default(1),
  OCR_WATCH_FOLDER: folder,
  OCR_TEMP_FOLDER: folder,
  OCR_STORE_MIB: wholeNumber({ least: 1, most: 1_048_576 }).default(2_048),
  OCR_KEEP_DAYS: wholeNumber({ least: 1, most: 3_650 }).default(30),
  OCR_FETCH_TIMEOUT_MS: timeoutMs.default(60_000),
  OCR_FETCH_ALLOW: list(),
};

const registerVariables = {
  OCR_REGISTER_URL: webAddress("https://register.example.com/api"),
  OCR_REGISTER_USER: text("must be the name to sign in to the register with"),
  OCR_REGISTER_PASSWORD: text("must be the password to sign in to the register with"),
  OCR_REGISTER_TIMEOUT_MS: timeoutMs.default(60_000),
  OCR_REGISTER_INTERVAL_MS: wholeNumber({ least: 1_000, most: 86_400_000 }).default(60_000),
};

const modelVariables = {
  OCR_MODEL_NAME: text("must be the name of a Gemini model").default("gemini-2.5-flash"),
  OCR_MODEL_BASE_URL: orNull(webAddress("http://127.0.0.1:9000/v1beta")),
  OCR_MODEL_TIMEOUT_MS: timeoutMs.default(60_000),
};

/** A wrong value is refused with the name of its variable; an empty one counts as not set. */
export function readDocumentOcrConfig(env: Environment): DocumentOcrConfig {
  const read = readEnvironment(env, variables);
  return {
    databaseUrl: read.DATABASE_URL,
    port: read.OCR_PORT,
    workerCount: read.OCR_WORKER_COUNT,
    documentsAtOnce: read.OCR_DOCUMENTS_AT_ONCE,
    pagesAtOnce: read.OCR_PAGES_AT_ONCE,
    watchFolder: read.OCR_WATCH_FOLDER,
    tempFolder: read.OCR_TEMP_FOLDER,
    storeBytes: read.OCR_STORE_MIB * mebibyte,
    keepDays: read.OCR_KEEP_DAYS,
    fetchTimeoutMs: read.OCR_FETCH_TIMEOUT_MS,
    fetchAllow: read.OCR_FETCH_ALLOW,
    register: readRegister(env),
    model: readModel(env),
  };
}

function readRegister(env: Environment): RegisterConfig | null {
  if (!env.OCR_REGISTER_URL) return null;
  const read = readEnvironment(env, registerVariables);
  return {
    url: read.OCR_REGISTER_URL,
    user: read.OCR_REGISTER_USER,
    password: read.OCR_REGISTER_PASSWORD,
    timeoutMs: read.OCR_REGISTER_TIMEOUT_MS,
    intervalMs: read.OCR_REGISTER_INTERVAL_MS,
  };
}

function readModel(env: Environment): ModelConfig | null {
  const apiKey = env.GOOGLE_GENERATIVE_AI_API_KEY || null;
  if (apiKey === null) return null;
  const read = readEnvironment(env, modelVariables);
  return {
    name: read.OCR_MODEL_NAME,
    apiKey,
    baseUrl: read.OCR_MODEL_BASE_URL,
    timeoutMs: read.OCR_MODEL_TIMEOUT_MS,
  };
}
