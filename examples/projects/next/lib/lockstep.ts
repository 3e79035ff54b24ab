import { consoleFolder } from "@lockstep/console";
import { createServer, type Server } from "@lockstep/server";
import { createEngine, type Engine } from "lockstep";
import { report } from "../pipelines";

// Next bundles each route by itself, and again after every edit, so a variable of this module would be there many times, each with
// connections of its own. What is kept on globalThis is there once per process.
const kept = globalThis as { lockstep?: { engine: Engine; server: Server } };

/** The engine of this process, and the HTTP API with the console on top of it. Made when first asked for, so that `next build` needs no database. */
export function lockstep(): { engine: Engine; server: Server } {
  kept.lockstep ??= makeLockstep();
  return kept.lockstep;
}

function makeLockstep(): { engine: Engine; server: Server } {
  const engine = createEngine({
    databaseUrl: process.env.DATABASE_URL ?? "",
    pipelines: [report],
    tokenSecret: process.env.LOCKSTEP_TOKEN_SECRET ?? null,
  });
  const server = createServer({
    engine,
    mountPath: "/lockstep",
    consoleFolder,
    // Pages come with the token of one job, operators with this one; `{ authorize }` asks the session of your application instead.
    access: { tokens: [{ user: "operator", role: "operator", token: process.env.OPERATOR_TOKEN ?? "" }] },
  });
  return { engine, server };
}
