import type { Access } from "./access.ts";
import { type Caller, callerOf, grantComplaint } from "./caller.ts";
import { tokenIn } from "./token-in.ts";
import { TokenList } from "./token-list.ts";

/** Says who a request comes from; null for nobody that is known. */
export type Door = (request: Request) => Promise<Caller | null>;

const local: Caller = callerOf({ user: "local", role: "operator" });

export function doorOf(access: Access): Door {
  if (access === "loopback") return async () => local;
  if ("authorize" in access) {
    return async (request) => {
      const grant = await access.authorize(request);
      if (grant === null || grant === undefined) return null;
      const complaint = grantComplaint(grant);
      if (complaint !== null) throw new Error(`What authorize returned ${complaint}.`);
      return callerOf(grant);
    };
  }
  const tokens = new TokenList(access.tokens);
  return async (request) => {
    const token = tokenIn(request);
    return token === null ? null : tokens.callerOf(token);
  };
}
