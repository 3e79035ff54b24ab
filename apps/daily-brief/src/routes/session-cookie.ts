import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";

const name = "daily-brief-session";
const sessionSeconds = 30 * 86_400;

export function startSession(context: Context, token: string): void {
  setCookie(context, name, token, {
    ...{ httpOnly: true, sameSite: "Strict", path: "/app", maxAge: sessionSeconds },
  });
}

/** The token of the session; empty if there is none. */
export function sessionOf(context: Context): string {
  return getCookie(context, name) ?? "";
}

export function forgetSession(context: Context): void {
  deleteCookie(context, name, { path: "/app" });
}
