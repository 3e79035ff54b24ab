import { existsSync } from "node:fs";
import { join } from "node:path";
import type { CliError } from "../errors/cli-error.ts";
import { asCliError } from "../errors/error-report.ts";
import { findPipelineFiles, shownPath } from "../pipelines/find-pipeline-files.ts";
import type { EndingSignal, Io } from "../session/io.ts";
import { DevWorker } from "./dev-worker.ts";
import { FileWatch } from "./file-watch.ts";

export interface WorkerNews {
  readonly files: readonly string[];
  readonly stages: readonly { readonly pipeline: string }[];
}

export interface ReloadingWorkerParts {
  readonly io: Io;
  readonly asked: readonly string[];
  /** The flags of the worker's process. */
  readonly argv: readonly string[];
  readonly onDatabaseDown: () => void;
  readonly onReloaded: (changed: readonly string[], news: WorkerNews) => void;
  /** The old code goes on. */
  readonly onRefused: (error: CliError) => void;
  readonly onCannotWatch: (error: Error) => void;
}

/** How long a process that was told to abort may take, before it is killed. */
const abortMs = 5_000;

/**
 * The worker of `lockstep dev`, replaced when a file changes. The new process loads the code and starts before the old one is
 * told to end: code that cannot be loaded or is refused changes nothing, and a long job holds nobody up.
 */
export class ReloadingWorker {
  /** Resolves with its exit code when the worker has ended and none has taken its place. */
  readonly ended: Promise<number>;
  readonly #parts: ReloadingWorkerParts;
  readonly #watch: FileWatch;
  readonly #living = new Set<DevWorker>();
  readonly #resolveEnded: (code: number) => void;
  #current: DevWorker | null = null;
  #loading: DevWorker | null = null;
  #files: readonly string[] = [];
  #databaseUrl: string | null = null;
  #lastRefusal: string | null = null;
  #isReloading = false;
  #isAskedAgain = false;
  #isStopping = false;

  constructor(parts: ReloadingWorkerParts) {
    this.#parts = parts;
    let resolveEnded: (code: number) => void = () => {};
    this.ended = new Promise((resolve) => {
      resolveEnded = resolve;
    });
    this.#resolveEnded = resolveEnded;
    this.#watch = new FileWatch({
      clock: parts.io.clock,
      onQuiet: () => void this.#look(),
      onError: parts.onCannotWatch,
    });
    this.#watch.addFolder(parts.io.cwd);
  }

  /** Loads the code; rejects when it cannot be loaded. */
  async load(): Promise<void> {
    this.#current = this.#spawn();
    this.#files = await this.#current.loaded();
  }

  /** Works, and from now on reloads. */
  async start(databaseUrl: string): Promise<WorkerNews> {
    const stages = (await this.#current?.start(databaseUrl)) ?? [];
    this.#databaseUrl = databaseUrl;
    // A file may have changed while the database was starting.
    void this.#look();
    return { files: this.#files, stages };
  }

  /** Lets it finish what it runs. Processes with older code do so already. */
  drain(signal: EndingSignal): void {
    this.#end();
    this.#current?.order(signal);
  }

  /** Cuts this short, for older code too. */
  abort(signal: EndingSignal): void {
    for (const worker of this.#living) worker.order(signal);
    void this.#parts.io.clock.sleep(abortMs).then(() => {
      for (const worker of this.#living) worker.kill();
    });
  }

  /** Waits until all processes have ended. */
  async stop(): Promise<void> {
    if (!this.#isStopping) this.drain("SIGTERM");
    await Promise.all([...this.#living].map(({ ended }) => ended));
  }

  #end(): void {
    this.#isStopping = true;
    this.#watch.stop();
    this.#loading?.kill();
  }

  #spawn(): DevWorker {
    const { io, argv, onDatabaseDown } = this.#parts;
    const onFile = (path: string) => this.#watch.add(path);
    const worker = new DevWorker({ io, argv, onFile, onDatabaseDown });
    this.#living.add(worker);
    void worker.ended.then((code) => {
      this.#living.delete(worker);
      if (this.#current === worker) this.#resolveEnded(code);
    });
    return worker;
  }

  async #look(): Promise<void> {
    const { io, asked } = this.#parts;
    if (this.#databaseUrl === null || this.#isStopping) return;
    // Where a first file with pipelines may appear.
    if (existsSync(join(io.cwd, "src"))) this.#watch.addFolder(join(io.cwd, "src"));
    const changed = this.#watch.takeChanged().map((path) => shownPath(path, io.cwd));
    const found = await findPipelineFiles(asked, io.cwd).catch(() => []);
    const files = found.map((path) => shownPath(path, io.cwd));
    for (const file of files) if (![...this.#files, ...changed].includes(file)) changed.push(file);
    const isSame = changed.length === 0 && files.length === this.#files.length;
    if (isSame && this.#lastRefusal === null) return;
    if (!this.#isReloading) return this.#reload(changed);
    this.#isAskedAgain = true;
    this.#loading?.kill();
  }

  async #reload(changed: readonly string[]): Promise<void> {
    this.#isReloading = true;
    do {
      this.#isAskedAgain = false;
      await this.#replace(changed);
    } while (this.#isAskedAgain && !this.#isStopping);
    this.#isReloading = false;
  }

  async #replace(changed: readonly string[]): Promise<void> {
    const worker = this.#spawn();
    this.#loading = worker;
    try {
      const files = await worker.loaded();
      this.#loading = null;
      const stages = await worker.start(this.#databaseUrl ?? "");
      const old = this.#current;
      if (this.#isStopping) return worker.order("SIGTERM");
      this.#current = worker;
      this.#files = files;
      this.#lastRefusal = null;
      await old?.retire();
      this.#parts.onReloaded(changed, { files, stages });
    } catch (thrown) {
      this.#loading = null;
      if (this.#isAskedAgain || this.#isStopping) return;
      const error = asCliError(thrown);
      // What happens beside the files makes it look again, but it does not repeat itself.
      if (changed.length > 0 || error.message !== this.#lastRefusal) this.#parts.onRefused(error);
      this.#lastRefusal = error.message;
    }
  }
}
