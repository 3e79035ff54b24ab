import type pg from "pg";
import { type Fault, pause } from "./fault.ts";

const idleConnections = 300;

/** What befalls PostgreSQL, and with it everybody. */
export const databaseFaults: Readonly<Record<string, Fault>> = {
  crash: {
    isGlobal: true,
    async strike({ database }) {
      await database.crash("SIGKILL");
      await database.startServer();
    },
  },
  restart: {
    isGlobal: true,
    async strike({ database }) {
      await database.crash("SIGQUIT");
      await database.startServer();
    },
  },
  /** Ten connections a second, whoever has them. */
  terminate: {
    isGlobal: true,
    async strike({ database, random }) {
      for (let count = 0; count < 10; count += 1) {
        await database.query(
          `select pg_terminate_backend(pid) from (
             select pid from pg_stat_activity
             where backend_type = 'client backend' and application_name <> 'chaos'
             order by md5(pid::text || $1) limit 1
           ) one`,
          [random.uuid()],
        );
        await pause(100);
      }
    },
  },
  "read-only": {
    isGlobal: true,
    async strike({ database, random, leaseMs }) {
      await database.query("alter system set default_transaction_read_only = on");
      await database.query("select pg_reload_conf()");
      await pause((0.5 + random.number() * 1.5) * leaseMs);
      await database.query("alter system reset default_transaction_read_only");
      await database.query("select pg_reload_conf()");
    },
  },
  /** As many idle connections as the server gives, while others lose theirs. */
  connections: {
    isGlobal: true,
    async strike({ database, random, leaseMs }) {
      const opened = await Promise.allSettled(
        Array.from({ length: idleConnections }, () => database.connect()),
      );
      const clients = opened.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      // Whoever wants a connection now finds none.
      await database.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name like 'lockstep%' and pid <> pg_backend_pid()`,
      );
      const late = await Promise.allSettled(Array.from({ length: 20 }, () => database.connect()));
      clients.push(...late.flatMap((one) => (one.status === "fulfilled" ? [one.value] : [])));
      await pause((0.5 + random.number()) * leaseMs);
      await Promise.all(clients.map((client: pg.Client) => client.end()));
    },
  },
};
