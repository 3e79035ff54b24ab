import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { LocalPostgresError } from "./local-postgres-error.ts";
import { canReach, type ServerUser } from "./server-user.ts";

/** Folders for things that may vanish, where the server user can go; TMPDIR may point into root's home. */
export function temporaryPlaces(user: ServerUser): string[] {
  const places = [...new Set([tmpdir(), "/tmp", "/var/tmp"])].filter(
    (place) => existsSync(place) && canReach(place, user),
  );
  if (places.length === 0) {
    throw new LocalPostgresError(
      `PostgreSQL needs a temporary folder that its user can enter, and ${tmpdir()} is not one. Point TMPDIR to a folder that everybody may enter.`,
    );
  }
  return places;
}
