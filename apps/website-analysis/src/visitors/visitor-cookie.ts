import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";

// Cookies do not know ports: the name keeps it apart from those of other pages on this machine.
const name = "website_analysis_visitor";
const keptSeconds = 180 * 86_400;
const form = /^(visitor-[0-9a-f-]{36})\.([\w-]{43})$/;

/** Knows visitors again by a signed cookie; whoever has none, or a forged one, is new. */
export class VisitorCookie {
  readonly #secret: string;

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** The visitor of a request, and the cookie that a new one is to be given. */
  visitorOf(request: Request): { readonly visitor: string; readonly setCookie: string | null } {
    const known = this.#known(request.headers.get("cookie") ?? "");
    if (known !== null) return { visitor: known, setCookie: null };
    const visitor = `visitor-${randomUUID()}`;
    const isSecure = new URL(request.url).protocol === "https:";
    const attributes = `Path=/; Max-Age=${keptSeconds}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
    return { visitor, setCookie: `${name}=${visitor}.${this.#signature(visitor)}; ${attributes}` };
  }

  #known(header: string): string | null {
    for (const cookie of header.split(/;\s*/)) {
      if (!cookie.startsWith(`${name}=`)) continue;
      const [, visitor = "", signature = ""] = form.exec(cookie.slice(name.length + 1)) ?? [];
      const wanted = this.#signature(visitor);
      if (signature.length === wanted.length && timingSafeEqual(Buffer.from(signature), Buffer.from(wanted)))
        return visitor;
    }
    return null;
  }

  #signature(visitor: string): string {
    return createHmac("sha256", this.#secret).update(`visitor cookie ${visitor}`).digest("base64url");
  }
}
