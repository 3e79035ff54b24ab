import { createHash } from "node:crypto";

/**
 * The tag of a job's representation: its version, which changes with every move, and a hash of what is shown, which
 * also changes with its progress and with the rights of who looks.
 */
export function etagOf(version: string, body: string): string {
  return `"${version}.${createHash("sha256").update(body).digest("base64url").slice(0, 12)}"`;
}

/** The version in the If-Match header; null: any will do. What is no tag of ours gives one that no job has. */
export function versionIn(ifMatch: string | undefined): string | null {
  if (ifMatch === undefined || ifMatch.trim() === "*") return null;
  const [, version = ""] = /^(?:W\/)?"([^"]*)\.[\w-]{12}"$/.exec(ifMatch.trim()) ?? [];
  return version;
}

/** Whether the If-None-Match header names this tag. */
export function isNamed(ifNoneMatch: string | undefined, etag: string): boolean {
  const named = (ifNoneMatch ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return named.includes(etag) || named.includes("*");
}
