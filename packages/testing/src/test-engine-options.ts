import type { AnyPipeline, EngineOptions } from "lockstep";

/** What `createTestEngine` takes. */
export interface TestEngineOptions {
  readonly pipelines: readonly AnyPipeline[];
  /** A server to make the test's database on, by a user who may; the embedded PostgreSQL by default. */
  readonly databaseUrl?: string;
  /** Where the clock stands at first; noon on 1 January 2026, UTC, by default. */
  readonly startAt?: Date;
  /** How long one handler may take in real time before the test is told; 3,000 by default. */
  readonly handlerLimitMs?: number;
  /** How many attempts one call may run before it is taken for endless; 1,000 by default. */
  readonly attemptLimit?: number;
  /** Further settings of the engine, such as tempRoot or logger, which is silent by default. */
  readonly settings?: Omit<EngineOptions, "databaseUrl" | "pipelines" | "clock">;
}

export type CompleteTestEngineOptions = Required<Omit<TestEngineOptions, "databaseUrl">> & {
  readonly databaseUrl: string | null;
};

const defaults = {
  databaseUrl: null,
  startAt: new Date("2026-01-01T12:00:00Z"),
  handlerLimitMs: 3_000,
  attemptLimit: 1_000,
  settings: {},
} as const;

const known = ["pipelines", ...Object.keys(defaults)];

/** With the defaults; what is wrong is refused with a sentence. What the engine is handed, it checks itself. */
export function completeOptions(options: TestEngineOptions): CompleteTestEngineOptions {
  for (const key of Object.keys(options ?? {})) {
    if (!known.includes(key)) {
      throw new TypeError(`Unknown option "${key}" of createTestEngine. It takes ${known.join(", ")}.`);
    }
  }
  if (!Array.isArray(options?.pipelines) || options.pipelines.length === 0) {
    throw new TypeError(
      "createTestEngine needs the pipelines to run: createTestEngine({ pipelines: [mine] }).",
    );
  }
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const complete = { ...defaults, ...given } as CompleteTestEngineOptions;
  if (!(complete.startAt instanceof Date) || Number.isNaN(complete.startAt.getTime())) {
    throw new TypeError('The option "startAt" of createTestEngine is a Date.');
  }
  for (const name of ["handlerLimitMs", "attemptLimit"] as const) {
    if (Number.isSafeInteger(complete[name]) && complete[name] > 0) continue;
    throw new TypeError(`The option "${name}" of createTestEngine is a whole number from 1.`);
  }
  return complete;
}
