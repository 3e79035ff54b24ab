import { codeSchemaVersion, migrateCommand, SchemaTooNewError } from "@lockstep/database";
import type { EngineConfig } from "../../engine-config.ts";
import { connectionFindings } from "../../jobs/reading/connection-findings.ts";
import type { Finding } from "../../jobs/reading/finding.ts";
import { probeConnection } from "../../store/connections/connection-probe.ts";
import { DatabaseUnavailableError, SchemaMissingError } from "../../store/connections/database-error.ts";
import type { SchemaStore } from "../../store/reading/schema-store.ts";
import { checkSchema } from "./schema-check.ts";

export interface DiagnosisParts {
  readonly config: Pick<
    EngineConfig,
    "target" | "listenUrl" | "listenTarget" | "transactionPooler" | "clock"
  >;
  readonly schema: Pick<SchemaStore, "name" | "versions" | "diagnose" | "diagnoseIndexes">;
}

/** Looks at the way to the database first, then at the schema, then lets the database look at itself. */
export async function diagnose({ config, schema }: DiagnosisParts): Promise<Finding[]> {
  const { target, listenTarget, clock } = config;
  const probe = await probeConnection({
    target,
    listenTarget: listenTarget === target ? null : listenTarget,
    clock,
  });
  const findings = connectionFindings(probe, config);
  try {
    const ofSchema = await schemaFinding(schema);
    if (ofSchema.severity === "bad") return [...findings, ofSchema];
    return [...findings, ofSchema, ...(await schema.diagnose()), ...(await schema.diagnoseIndexes())];
  } catch (error) {
    // Behind a pooler that the engine was not told of, its own statements fail; the finding says what to do.
    const isUntold = probe.pooler === "transaction" && !config.transactionPooler;
    if (isUntold && error instanceof DatabaseUnavailableError) return findings;
    throw error;
  }
}

async function schemaFinding(schema: Pick<SchemaStore, "name" | "versions">): Promise<Finding> {
  const check = "schema";
  try {
    const found = await checkSchema(schema);
    if (found < codeSchemaVersion) {
      const finding = `the schema has version ${found}, and this code brings ${codeSchemaVersion}`;
      const advice = `Run \`${migrateCommand(schema.name)}\`. Until then, what the older schema lacks is refused.`;
      return { check, severity: "warn", finding, advice, repairSql: null };
    }
    const isNewer = found > codeSchemaVersion;
    const finding = isNewer
      ? `the schema has version ${found}, which this code of version ${codeSchemaVersion} can use`
      : "the schema is of this version";
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
