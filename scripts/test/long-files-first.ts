import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Test files that take long and do not look it: a group that ends with one of them waits for it with idle processors.
 * On a fresh clone Vitest knows of a file no more than its size.
 */
export const longFiles: readonly string[] = [
  "test/chaos/chaos.test.ts",
  "test/scenarios/starting/npm-start.test.ts",
  "bench/src/smoke.test.ts",
  "test/import/hand-over.test.ts",
  "test/scenarios/requests/generated-requests.test.ts",
  "test/scenarios/apps/website-analysis.test.ts",
  "test/model/model.test.ts",
  "test/scenarios/streams/five-hundred-streams.test.ts",
  "test/scenarios/workers/poison-job.test.ts",
  "test/guards/bounded-reads.test.ts",
  "test/packaging/packed.test.ts",
  "test/browser/entries.test.ts",
  "test/browser/accessibility.test.ts",
  "test/browser/console.test.ts",
  "test/browser/many-tabs.test.ts",
  "test/browser/lost-worker.test.ts",
];

export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = longFiles.findIndex((name) => moduleId.endsWith(`/${name}`));
      return index === -1 ? longFiles.length : index;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}
