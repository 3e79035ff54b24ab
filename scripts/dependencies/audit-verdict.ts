/** What `npm audit --json` has said: a sentence, and whether it is a reason to stop. */
export interface AuditVerdict {
  readonly isFailure: boolean;
  readonly sentence: string;
}

interface Advice {
  severity?: string;
}

interface AuditReport {
  vulnerabilities?: Record<string, Advice>;
  message?: string;
}

/** A registry that does not answer says nothing about the packages: neither that they are sound, nor that they are not. */
export function auditVerdict(output: string): AuditVerdict {
  const report = reportIn(output);
  if (report?.vulnerabilities === undefined) {
    const reason = report?.message ?? (output.trim().slice(0, 200) || "it said nothing");
    return { isFailure: false, sentence: `Not audited: the registry could not be asked (${reason}).` };
  }
  const found = Object.entries(report.vulnerabilities);
  if (found.length === 0) return { isFailure: false, sentence: "Audited: no known vulnerability." };
  const names = found.map(([name, { severity }]) => `${name} (${severity ?? "unknown"})`).join(", ");
  return {
    isFailure: true,
    sentence: `Audited: ${found.length} packages with known vulnerabilities: ${names}. See npm audit.`,
  };
}

function reportIn(output: string): AuditReport | null {
  try {
    return JSON.parse(output) as AuditReport;
  } catch {
    return null;
  }
}
