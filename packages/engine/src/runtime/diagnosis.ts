import { SchemaTooNewError } from "@lockstep/database";
import type { EngineConfig } from "../engine-config.ts";
import { connectionFindings } from "../jobs/connection-findings.ts";
import type { Finding } from "../jobs/finding.ts";
import { probeConnection } from "../store/connection-probe.ts";
import type { Database } from "../store/database.ts";
import { DatabaseUnavailableError, SchemaMissingError } from "../store/database-error.ts";
import { diagnoseDatabase, diagnoseIndexes } from "../store/diagnosis.ts";
import type { JobStore } from "../store/job-store.ts";
import { checkSchema } from "./schema-check.ts";

export interface DiagnosisParts {
  readonly config: Pick<EngineConfig, "databaseUrl" | "listenUrl" | "transactionPooler" | "clock">;
  readonly database: Database;
  readonly store: Pick<JobStore, "schemaVersion">;
}

/** Looks at the way to the database first, then at the schema, then lets the database look at itself. */
export async function diagnose({ config, database, store }: DiagnosisParts): Promise<Finding[]> {
  const probe = await probeConnection({
    url: config.databaseUrl,
    listenUrl: config.listenUrl,
    clock: config.clock,
  });
  const findings = connectionFindings(probe, config);
  try {
    const schema = await schemaFinding(store);
    if (schema.severity !== "ok") return [...findings, schema];
    return [...findings, schema, ...(await diagnoseDatabase(database)), ...(await diagnoseIndexes(database))];
  } catch (error) {
    // Behind a pooler that the engine was not told of, its own statements fail; the finding says what to do.
    const isUntold = probe.pooler === "transaction" && !config.transactionPooler;
    if (isUntold && error instanceof DatabaseUnavailableError) return findings;
    throw error;
  }
}

async function schemaFinding(store: Pick<JobStore, "schemaVersion">): Promise<Finding> {
  const check = "schema";
  try {
    await checkSchema(store);
    const finding = "the schema is of this version";
    return { check, severity: "ok", finding, advice: null, repairSql: null };
  } catch (error) {
    if (!(error instanceof SchemaMissingError || error instanceof SchemaTooNewError)) throw error;
    const [finding = "", ...advice] = error.message.split(/(?<=[:.]) /);
    return {
      check,
      severity: "bad",
      finding: finding.replace(/[:.]$/, ""),
      advice: advice.join(" "),
      repairSql: null,
    };
  }
}
