import { expect, test } from "vitest";
import { MigrateError } from "../migrating/migrate-error.ts";
import { checkedSchema, schemaNameComplaint } from "./schema-name.ts";

test.each(["lockstep", "jobs", "_", "a1_b2", "order", "a".repeat(23)])(
  "%s can be a schema's name",
  (name) => {
    expect(schemaNameComplaint(name)).toBeNull();
    expect(checkedSchema(name)).toBe(name);
  },
);

test.each([
  "",
  "a".repeat(24),
  "Jobs",
  "1jobs",
  "my-jobs",
  "my jobs",
  "jobs.x",
  'jobs"; drop table x; --',
  "jobs'",
  "jöbs",
  "jobs\n",
])("%j is refused with what a name has to look like", (name) => {
  expect(() => checkedSchema(name)).toThrow(MigrateError);
  expect(() => checkedSchema(name)).toThrow(
    'schema must be a name of 1 to 23 small letters, digits and underscores that does not begin with a digit, such as "jobs".',
  );
});

test.each([undefined, null, 7, ["jobs"]])("%j is no name", (value) => {
  expect(schemaNameComplaint(value)).toMatch(/^must be a name/);
});

test.each(["pg_jobs", "public", "information_schema"])("%s is refused: it is for other things", (name) => {
  expect(schemaNameComplaint(name)).toMatch(/^must not be "\w+", which is for other things/);
});

test("a name that would be another installation's channel is refused", () => {
  expect(schemaNameComplaint("jobs_cancel")).toMatch(/^must not end in "_cancel" or "_ping"/);
  expect(schemaNameComplaint("jobs_ping")).not.toBeNull();
});
