import type { AccessToken } from "@lockstep/server";
import { usageError } from "../errors/cli-error.ts";

const form = "name:role:token, or name:role:sha256=64 hex digits; the role is viewer or operator";

/** Tokens as people write them down, separated by commas or lines; `source` is where, for the complaint. */
export function readTokens(text: string, source: string): AccessToken[] {
  const entries = text
    .split(/[,\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "" && !entry.startsWith("#"));
  if (entries.length === 0) throw usageError(`${source} holds no token.`, `Write one as ${form}.`);
  return entries.map((entry, index) => tokenOf(entry, `${source}, token ${index + 1},`));
}

/** The complaint never repeats what was read: it may be a secret. */
function tokenOf(entry: string, place: string): AccessToken {
  const [, user, role, secret = ""] = /^([^:\s]+):([^:]+):(\S+)$/.exec(entry) ?? [];
  if (user === undefined) throw usageError(`${place} cannot be read.`, `Write it as ${form}.`);
  if (role !== "viewer" && role !== "operator") {
    throw usageError(`${place} has an unknown role.`, `Write it as ${form}.`);
  }
  const [, sha256] = /^sha256=([0-9a-fA-F]{64})$/.exec(secret) ?? [];
  if (sha256 !== undefined) return { user, role, sha256 };
  if (secret.length < 22) {
    throw usageError(`${place} is too short to be safe.`, "Make one with `lockstep token`.");
  }
  return { user, role, token: secret };
}
