import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "@lockstep/local-postgres";
import { createEngine, type Engine, type Job } from "lockstep";
import pg from "pg";
import { DocumentOcrApp } from "../../document-ocr-app.ts";
import { readDocumentOcrConfig } from "../../document-ocr-config.ts";
import { DocumentTaker } from "../../services/document-taker.ts";
import { withUploadFolder } from "../../services/upload-folder.ts";
import { WorkerProcesses } from "../../services/worker-processes.ts";

export interface Document {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const longestMs = 3_600_000;
const usualWorker = new URL("../../ocr-worker.ts", import.meta.url);

/** A database of its own, an engine that adds and looks, and worker processes as `npm start` has them. */
export class ProvingGround {
  readonly engine: Engine;
  readonly tempFolder: string;
  readonly #app: DocumentOcrApp;
  readonly #databaseUrl: string;
  readonly #stopPostgres: () => Promise<void>;
  readonly #sql: pg.Pool;

  private constructor(databaseUrl: string, tempFolder: string, stopPostgres: () => Promise<void>) {
    this.#databaseUrl = databaseUrl;
    this.tempFolder = tempFolder;
    this.#stopPostgres = stopPostgres;
    this.#app = new DocumentOcrApp(readDocumentOcrConfig({}), async () => databaseUrl);
    this.engine = createEngine({ databaseUrl, pipelines: [this.#app.pipeline], logger: null });
    this.#sql = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  }

  static async open(): Promise<ProvingGround> {
    const [postgres, tempFolder] = [await startPostgres(), await mkdtemp(join(tmpdir(), "ocr-prove-"))];
    const ground = new ProvingGround(postgres.url, tempFolder, () => postgres.stop());
    await ground.engine.migrate();
    return ground;
  }

  async close(): Promise<void> {
    await this.engine.stop();
    await this.#app.close();
    await this.#sql.end();
    await this.#stopPostgres();
    await rm(this.tempFolder, { recursive: true, force: true });
  }

  /** The ids of their jobs, in the same order. */
  async add(documents: readonly Document[]): Promise<string[]> {
    const ids: string[] = [];
    for (const { name, bytes } of documents) {
      const { sha256 } = await withUploadFolder(this.tempFolder, async (folder) => {
        return this.#app.files.save(await DocumentTaker.take(folder, (take) => take(bytes)), "document");
      });
      ids.push((await this.engine.add(this.#app.pipeline, { source: `upload:${sha256}/${name}` })).id);
    }
    return ids;
  }

  /** Runs with so many workers, and stops them as a person would. */
  async withWorkers<Answer>(
    { count, program = usualWorker }: { count: number; program?: URL },
    run: () => Promise<Answer>,
  ): Promise<Answer> {
    // biome-ignore lint/style/noProcessEnv: the workers need PATH; nothing else of ours shall reach them.
    const env = { PATH: process.env.PATH, DATABASE_URL: this.#databaseUrl, OCR_TEMP_FOLDER: this.tempFolder };
    const workers = new WorkerProcesses({ count, program, env, say: (text) => this.say(`  ${text}`) });
    workers.start();
    try {
      await this.until(
        async () => (await this.engine.workers()).filter(({ isAlive }) => isAlive).length >= count,
      );
      return await run();
    } finally {
      await workers.stop();
    }
  }

  /** The jobs, once all of them have ended. */
  async ended(ids: readonly string[]): Promise<Job[]> {
    await Promise.allSettled(ids.map((id) => this.engine.result(id, { timeoutMs: longestMs })));
    const jobs = await Promise.all(ids.map((id) => this.engine.get(id)));
    return jobs.filter((job) => job !== null);
  }

  /** Which process has read which page of a job. */
  async readers(id: string): Promise<{ page: number; pid: number }[]> {
    const { rows } = await this.#sql.query(
      "select page, split_part(read_by, ':', 2)::int as pid from document_ocr.pages where job_id = $1 order by page",
      [id],
    );
    return rows;
  }

  /** As if no page had ever been read. */
  async forgetPages(): Promise<void> {
    await this.#sql.query("delete from document_ocr.pages");
  }

  say(text: string): void {
    process.stdout.write(`${text}\n`);
  }

  async until(isSo: () => Promise<boolean>): Promise<void> {
    while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
