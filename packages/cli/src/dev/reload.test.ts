// In real time: files, processes and signals are the subject.

import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { childProgram, testDatabase } from "@lockstep/test-support";
import { expect, onTestFinished, test } from "vitest";

const db = testDatabase();
const start = new URL("../start.ts", import.meta.url).href;

const pipelines = `
  import { existsSync } from "node:fs";
  import { watch } from "node:fs/promises";
  import { definePipeline } from "lockstep";
  import { word } from "./word";
  export const orders = definePipeline("orders").stage("read", async ({ payload }) => {
    if (payload === "held") for await (const _ of watch(".")) if (existsSync("go")) break;
    return word;
  });
`;

test("dev takes over what is saved: running jobs end with the old code, and code that is broken is named and left", async () => {
  const folder = await mkdtemp(join(tmpdir(), "lockstep-reload-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const save = (name: string, text: string) => writeFile(join(folder, name), text);
  await mkdir(join(folder, "node_modules"));
  const engine = fileURLToPath(new URL("../../../engine", import.meta.url));
  await symlink(engine, join(folder, "node_modules", "lockstep"));
  await save("word.ts", 'export const word: string = "one";');

  const dev = childProgram(
    `process.chdir(${JSON.stringify(folder)});
     process.argv.splice(1, Infinity, "lockstep", "dev", "--jsonl", "--port", "0");
     await import(${JSON.stringify(start)});`,
    { env: { DATABASE_URL: db.url } },
  );
  type Told = { event: string; jobId: string; message: string; changed: string[] };
  const until = async (event: string, jobId?: string): Promise<Told> => {
    for (;;) {
      const told = await dev.nextValue<Told>();
      if (told.event === event && (jobId === undefined || told.jobId === jobId)) return told;
    }
  };
  const add = async (payload: string): Promise<string> => {
    const [added] = await db.call<{ id: string }>("add_job", { p_pipeline: "orders", p_payload: payload });
    return added?.id ?? "";
  };
  const resultOf = async (jobId: string) => (await db.call("get_job", { p_id: jobId }))[0]?.result;
  const wordNow = async () => resultOf((await until("job.completed", await add("next"))).jobId);

  // A first file in the place of the demo.
  await until("ready");
  await save("pipelines.ts", pipelines);
  expect((await until("reloaded")).changed).toEqual(["pipelines.ts"]);
  const held = await add("held");
  await until("job.started", held);

  await save("word.ts", 'export const word: string = "two";');
  expect((await until("reloaded")).changed).toEqual(["word.ts"]);
  expect(await wordNow()).toBe("two");
  await save("go", "");
  await until("job.completed", held);
  expect(await resultOf(held)).toBe("one");

  await save("word.ts", "\nexport const = 3;");
  expect((await until("reload.refused")).message).toBe('word.ts:2:13: Expected identifier but found "="');
  expect(await wordNow()).toBe("two");
  await save("word.ts", 'export const word: string = "three";');
  await until("reloaded");
  expect(await wordNow()).toBe("three");

  dev.kill("SIGTERM");
  const { code, errors } = await dev.ended;
  expect(code).toBe(0);
  expect(errors).toContain("↻ word.ts changed: now 1 worker, 1 stage of orders (pipelines.ts)\n");
  expect(errors).toContain("the previous code finishes 1 job\n");
  expect(errors).not.toContain("press o");
  expect(errors).toContain("The previous code keeps running until this is fixed.\n");
}, 120_000);
