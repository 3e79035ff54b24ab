import pg from "pg";
import type { TestProject } from "vitest/node";
import { sqlOf } from "./mutant.ts";
import { mutantOfRun } from "./mutants.ts";

/** Puts the mutant of this run into the database that every test file clones. */
export default async function mutateTemplate(project: TestProject): Promise<void> {
  const mutant = mutantOfRun();
  if (!mutant) return;
  const { serverUrl, templateName } = project.getProvidedContext();
  const url = new URL(serverUrl);
  url.pathname = `/${templateName}`;
  const client = new pg.Client({ connectionString: url.href, application_name: "lockstep tests: mutant" });
  await client.connect();
  await client.query(await sqlOf(mutant));
  await client.end();
}
