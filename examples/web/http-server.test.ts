import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { runExample } from "../run-example.ts";

const db = testDatabase();

test("a job is added over HTTP and waited for, and a wrong one refused", { timeout: 120_000 }, async () => {
  const { output, errors, code } = await runExample("web/http-server.ts", { env: { DATABASE_URL: db.url } });
  expect(errors).toBe("");
  expect(output).toBe(
    '201: the job is completed, and gave {"file":"200-cat.png"}\n422: payload.invalid at /payload/width\n',
  );
  expect(code).toBe(0);
});
