import { expect, test } from "vitest";
import { UnderWay } from "./under-way.ts";

test("it waits for what was under way, however that ends, and not for what begins later", async () => {
  const underWay = new UnderWay();
  const told: string[] = [];
  let [finish, fail] = [() => {}, (_error: Error) => {}];
  const one = underWay.add(new Promise<void>((resolve) => (finish = resolve)));
  const other = underWay.add(new Promise<void>((_, reject) => (fail = reject)));
  const settled = underWay.settled().then(() => told.push("settled"));
  void underWay.add(new Promise(() => {}));
  finish();
  await one;
  expect(told).toEqual([]);
  fail(new Error("refused"));
  await expect(other).rejects.toThrow("refused");
  await settled;
  expect(told).toEqual(["settled"]);
});
