import type { TestDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { freePort } from "../../packages/local-postgres/src/free-port.ts";
import type { FrameworkFolder } from "./framework-folder.ts";
import { postJson, untilAnswer, untilListening } from "./requests.ts";

export function nestProjectWorks(folder: FrameworkFolder, db: TestDatabase): void {
  test("Nest: the controller adds a job, the module's worker runs it, and a signal stops both cleanly", async (context) => {
    const project = await folder.example(context, "nest");
    await project.tool("tsc");
    const [port, token] = [await freePort(), "a-token-of-the-operator-0123456789"];
    const url = `http://127.0.0.1:${port}`;
    const script = project.start("start", {
      DATABASE_URL: db.url,
      OPERATOR_TOKEN: token,
      PORT: String(port),
    });
    await untilListening(url);
    const added = await postJson(`${url}/reports`, { month: "May" });
    expect(added.status).toBe(201);
    const { id } = added.body as { id: string };
    await untilAnswer(`${url}/reports/${id}`, {
      status: "completed",
      result: { title: "Report of May", pages: 4 },
    });
    expect(await postJson(`${url}/reports`, { month: "" })).toMatchObject({ status: 400 });
    expect((await fetch(`${url}/reports/nonsense`)).status).toBe(400);
    const jobs = `${url}/ops/jobs/api/v1/jobs/${id}`;
    await untilAnswer(jobs, { id, pipeline: "report" }, { authorization: `Bearer ${token}` });
    expect((await fetch(jobs)).status).toBe(401);
    // Nest sends itself the signal again when all is done.
    expect(await script.stop(), script.output).toBe("SIGTERM");
    expect(await db.call("active_workers")).toEqual([]);
  }, 240_000);
}
