// On servers of their own: roles belong to a whole server, and that of the other tests has them.
import { startPostgres } from "@lockstep/local-postgres";
import { createEngine, definePipeline, MigrationForbiddenError } from "lockstep";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { folderInMemory } from "../../../packages/test-support/src/folder-in-memory.ts";

const letters = definePipeline("letters").stage("write", () => "written");
const roles = ["lockstep_operator", "lockstep_producer", "lockstep_viewer", "lockstep_worker"];

async function freshServer() {
  const server = await startPostgres({ temporaryFolder: await folderInMemory(), settings: { fsync: "off" } });
  onTestFinished(server.stop);
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  onTestFinished(() => admin.end());
  const as = (user: string) => {
    const url = new URL(server.url);
    url.username = user;
    url.password = "secret";
    return url.href;
  };
  return { url: server.url, admin, as };
}

function engineOf(databaseUrl: string) {
  const engine = createEngine({ databaseUrl, pipelines: [letters], logger: null });
  onTestFinished(() => engine.stop());
  return engine;
}

const rolesOf = async (admin: pg.Client) =>
  (
    await admin.query<{ name: string }>(
      "select rolname as name from pg_roles where rolname like 'lockstep\\_%' order by 1",
    )
  ).rows.map(({ name }) => name);

test("a migrate by a superuser makes the roles, and an application that is granted one adds and works", async () => {
  const { url, admin, as } = await freshServer();
  await admin.query("create role app login password 'secret'");
  expect(await engineOf(url).migrate()).toMatchObject({ functions: true, missingRoles: [] });
  expect(await rolesOf(admin)).toEqual(roles);
  await expect(engineOf(as("app")).migrate()).rejects.toBeInstanceOf(MigrationForbiddenError);
  await admin.query("grant lockstep_worker to app");

  const engine = engineOf(as("app"));
  expect(await engine.migrate()).toMatchObject({ migrations: [], functions: false });
  const { id } = await engine.add(letters, {});
  await engine.start();
  expect(await engine.result(id)).toBe("written");
});

test("a migrate by a user who may not create roles says which are missing; a superuser's later one makes and grants them", async () => {
  const { url, admin, as } = await freshServer();
  await admin.query("create role keeper login password 'secret'");
  await admin.query("create schema lockstep authorization keeper");
  const byKeeper = await engineOf(as("keeper")).migrate();
  expect(byKeeper).toMatchObject({ functions: true });
  expect(byKeeper.missingRoles.toSorted()).toEqual(roles);
  expect(await rolesOf(admin)).toEqual([]);
  expect(await engineOf(as("keeper")).migrate()).toMatchObject({ functions: false });

  const superuser = engineOf(url);
  expect(await superuser.planMigration()).toMatchObject({ migrations: [], functions: true });
  expect(await superuser.migrate()).toMatchObject({ functions: true, missingRoles: [] });
  expect(await rolesOf(admin)).toEqual(roles);
  const { rows } = await admin.query(
    "select has_function_privilege('lockstep_viewer', 'lockstep.queue_stats()', 'execute') as may",
  );
  expect(rows).toEqual([{ may: true }]);
});
