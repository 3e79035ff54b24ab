import type { TestDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { freePort } from "../../packages/local-postgres/src/free-port.ts";
import { createdKinds } from "./created-kinds.ts";
import type { FrameworkFolder } from "./framework-folder.ts";
import { NextEdits } from "./next-edits.ts";
import { postJson, untilAnswer, untilListening } from "./requests.ts";

/** What `npm create lockstep .` adds to a project that is there, used as it says. */
export function createdProjectsWork(folder: FrameworkFolder, db: TestDatabase): void {
  test.for(createdKinds)(
    "a project of $name to which `npm create lockstep` added jobs has right types and runs one",
    { timeout: 240_000 },
    async (kind, context) => {
      const project = await folder.created(context, kind.name, kind.files);
      expect(project.told).toContain(`Jobs for the ${kind.is} project in`);
      const edits = kind.is === "next" ? await NextEdits.of(project, "jobs.ts", "(await jobs())") : undefined;
      await project.tool("tsc");
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      const env = { DATABASE_URL: db.url, PORT: String(port) };
      const script = project.start("start", env);
      await untilListening(url);
      const { id } = (await postJson(`${url}/greetings`, { name: "Grace" })).body as { id: string };
      const { scripts } = JSON.parse(project.read("package.json"));
      expect(scripts["jobs:work"]).toBe("lockstep work");
      await project.tool("lockstep", ["work", "--once"], env);
      await untilAnswer(`${url}/greetings/${id}`, {
        status: "completed",
        result: { text: "Hello, Grace Lovelace!" },
      });
      await edits?.leaveNoConnection(url, db);
      await script.stop();
    },
  );
}
