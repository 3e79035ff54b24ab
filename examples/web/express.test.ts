import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { freePort } from "../../packages/local-postgres/src/free-port.ts";
import { runExample } from "../run-example.ts";

const db = testDatabase();

test("an Express application adds a job, reads it, and serves the operations beside its own routes", async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let asked: Promise<void> | undefined;
  const { code } = await runExample("web/express.ts", {
    env: { DATABASE_URL: db.url, PORT: String(port) },
    onOutput(_output, signal) {
      asked ??= ask().finally(() => signal("SIGTERM"));
    },
  });
  await asked;
  expect(code).toBe(0);

  async function ask() {
    const post = () =>
      fetch(`${url}/reports`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ month: "May" }),
      });
    const added = await post();
    expect(added.status).toBe(202);
    const { id } = (await added.json()) as { id: string };
    await expect
      .poll(async () => (await fetch(`${url}/reports/${id}`)).json(), { timeout: 20_000 })
      .toMatchObject({ status: "completed", result: { title: "Report of May" } });
    expect((await fetch(`${url}/ops/jobs/api/v1/jobs`)).status).toBe(401);
  }
}, 60_000);
