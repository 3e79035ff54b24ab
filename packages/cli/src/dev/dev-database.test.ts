import { expect, test } from "vitest";
import { givenDatabase } from "./dev-database.ts";

test.each([
  ["postgres://me:s3cret@db.example:5433/app", "PostgreSQL (db.example:5433/app)"],
  ["postgres://me:s3cret@a.example:5433,b.example/app", "PostgreSQL (a.example:5433,b.example/app)"],
  ["postgres://me:s3cret@/app?host=/var/run/postgresql", "PostgreSQL (/var/run/postgresql/app)"],
  ["postgres:///app?host=/var/run/postgresql", "PostgreSQL (/var/run/postgresql/app)"],
])("%s is named without its password, also where a socket is the way", (url, name) => {
  expect(givenDatabase(url)).toMatchObject({ url, name });
});
