import { z } from "@hono/zod-openapi";

/** RFC 3339 in UTC with milliseconds; a Date on the server's side of the wire. */
export const instantSchema = z.iso.datetime().openapi({ example: "2026-01-31T12:00:00.000Z" });
