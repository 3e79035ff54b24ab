import { setTimeout as sleep } from "node:timers/promises";
import { type LocalPostgres, startPostgres } from "@lockstep/local-postgres";
import pg from "pg";
import type { Contender } from "../contenders/contender-list.ts";

/** A throw-away PostgreSQL, and the databases of the runs in it. */
export class BenchServer {
  readonly #server: LocalPostgres;
  readonly #admin: pg.Client;
  readonly #templates = new Map<string, string>();
  #made = 0;

  constructor(server: LocalPostgres, admin: pg.Client) {
    this.#server = server;
    this.#admin = admin;
  }

  /** With PostgreSQL's own settings, fsync included, except those given. */
  static async start(
    binariesFolder: string | null,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<BenchServer> {
    const server = await startPostgres({ binariesFolder: binariesFolder ?? undefined, settings });
    const admin = new pg.Client({ connectionString: server.url, application_name: "bench: databases" });
    await admin.connect();
    return new BenchServer(server, admin);
  }

  get url(): string {
    return this.#server.url;
  }

  get pid(): number {
    return this.#server.pid;
  }

  async version(): Promise<string> {
    const { rows } = await this.#admin.query<{ server_version: string }>("show server_version");
    return rows[0]?.server_version ?? "unknown";
  }

  /** A fresh database for one run: a clone of the one in which this module of this checkout was installed. */
  async database(
    { module, checkout = "" }: Contender,
    install: (url: string) => Promise<unknown>,
  ): Promise<string> {
    const key = `${checkout}/${module}`;
    let template = this.#templates.get(key);
    if (template === undefined) {
      template = await this.#create("");
      await install(this.#urlOf(template));
      this.#templates.set(key, template);
    }
    return this.#urlOf(await this.#create(`template ${template}`));
  }

  /** When its connections have gone; those that stay are cut. */
  async drop(url: string): Promise<void> {
    const name = new URL(url).pathname.slice(1);
    const giveUpAtMs = performance.now() + 2_000;
    const isInUse = "select from pg_stat_activity where datname = $1 and backend_type = 'client backend'";
    while ((await this.#admin.query(isInUse, [name])).rows.length > 0) {
      // Cut in the middle of its goodbye, a connection would take its process along.
      if (performance.now() > giveUpAtMs) break;
      await sleep(5);
    }
    await this.#admin.query(`drop database if exists ${name} with (force)`);
  }

  async stop(): Promise<void> {
    await this.#admin.end();
    await this.#server.stop();
  }

  async #create(clause: string): Promise<string> {
    this.#made += 1;
    const name = `bench_${this.#made}`;
    await this.#admin.query(`create database ${name} ${clause}`);
    return name;
  }

  #urlOf(name: string): string {
    const url = new URL(this.#server.url);
    url.pathname = `/${name}`;
    return url.href;
  }
}
