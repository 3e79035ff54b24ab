import { expect, test } from "vitest";
import { sizes } from "./sizes.ts";
import { slowedSize } from "./slowed-size.ts";

test("a slow machine gets fewer jobs", () => {
  expect(slowedSize(sizes.quick, 0.5).drainJobs).toBe(sizes.quick.drainJobs / 2);
});

test("a machine at its pace gets all of them", () => {
  expect(slowedSize(sizes.quick, 1)).toEqual(sizes.quick);
  expect(slowedSize(sizes.quick, 3)).toEqual(sizes.quick);
});

test("many are more than few however slow the machine is", () => {
  const { waitingFew, waitingMany } = slowedSize(sizes.quick, 0.01);
  expect(waitingMany).toBeGreaterThan(waitingFew);
});
