import type { TokenScope } from "lockstep";
import { type Right, rights } from "../contract/access.ts";

/** Who asks, and what they may do. */
export interface Caller {
  readonly user: string;
  readonly rights: ReadonlySet<Right>;
  /** Every question and every write of this caller is about this owner's jobs; null: about all. */
  readonly owner: string | null;
  /** Of an end user, what their token opens: the jobs of that owner, or one job. */
  readonly scope: TokenScope | null;
}

/** A set of rights: a viewer reads jobs and metrics without payloads, an operator may do everything. */
export type Role = "viewer" | "operator";

export const roles: Readonly<Record<Role, readonly Right[]>> = {
  viewer: ["jobs.read", "metrics.read"],
  operator: rights,
};

/** Rights by name, or a role as a preset of them; a viewer's when neither is said. */
export interface Grant {
  readonly user: string;
  readonly role?: Role | undefined;
  readonly rights?: readonly Right[] | undefined;
  readonly owner?: string | null | undefined;
}

export function callerOf(grant: Grant): Caller {
  return {
    user: grant.user,
    rights: new Set(grant.rights ?? roles[grant.role ?? "viewer"]),
    owner: grant.owner ?? null,
    scope: null,
  };
}

/** What is wrong with a grant, as the end of a sentence; null when nothing is. */
export function grantComplaint(grant: Grant): string | null {
  const { user, role, rights: some, owner } = grant;
  if (typeof user !== "string" || !/^\P{C}{1,200}$/u.test(user)) {
    return "needs a user: a text of 1 to 200 visible characters";
  }
  if (role !== undefined && !Object.hasOwn(roles, role))
    return 'has a role other than "viewer" and "operator"';
  if (role !== undefined && some !== undefined) return "has both a role and rights: give one of them";
  const unknown = some?.find((right) => !rights.includes(right));
  if (unknown !== undefined) return `has an unknown right "${unknown}": there are ${rights.join(", ")}`;
  if (owner !== undefined && owner !== null && (typeof owner !== "string" || owner === "")) {
    return "has an owner that is not a text";
  }
  return null;
}
