import { testDatabase } from "@lockstep/test-support";
import { createEngine, definePipeline } from "lockstep";
import { expect, onTestFinished, test } from "vitest";
import { documentOcrPayload } from "../document-ocr-payload.ts";
import { RegisterWatcher } from "./register-watcher.ts";

const db = testDatabase();

test("a document whose id cannot be taken is named, and does not hold up those behind it", async () => {
  const pipeline = definePipeline("documents", { payload: documentOcrPayload }).stage("read", () => null);
  const engine = createEngine({ databaseUrl: db.url, pipelines: [pipeline], logger: null });
  onTestFinished(() => engine.stop());
  const told: string[] = [];
  const listed = ["1", "2026/17", "3"].map((id) => ({ id, name: "a.pdf" }));
  const watcher = new RegisterWatcher(
    async () => listed,
    async ({ id, name }) => {
      await engine.add(pipeline, { source: `register:${id}/${name}` });
      told.push(id);
    },
  );
  for (let looks = 0; looks < 2; looks += 1) {
    await expect(watcher.look()).rejects.toThrow(
      '1 of its documents cannot be taken, the first of them "2026/17"',
    );
  }
  expect(told).toEqual(["1", "3"]);
});
