import { expect, test } from "vitest";
import { CallSlots } from "./call-slots.ts";

const never = new AbortController().signal;

test("so many calls are made at once, the others wait in their order, and one that fails makes room too", async () => {
  const slots = new CallSlots(2);
  const begun: string[] = [];
  const ends = new Map<string, { resolve: (name: string) => void; reject: (error: Error) => void }>();
  const call = (name: string) =>
    slots.use(
      never,
      () =>
        new Promise<string>((resolve, reject) => {
          begun.push(name);
          ends.set(name, { resolve, reject });
        }),
    );
  const calls = ["a", "b", "c", "d"].map(call);
  expect(begun).toEqual(["a", "b"]);
  ends.get("b")?.reject(new Error("no"));
  await expect(calls[1]).rejects.toThrow("no");
  expect(begun).toEqual(["a", "b", "c"]);
  ends.get("a")?.resolve("a");
  expect(await calls[0]).toBe("a");
  expect(begun).toEqual(["a", "b", "c", "d"]);
});

test("one whose signal aborts while it waits is not made, and holds no place", async () => {
  const slots = new CallSlots(1);
  let end = () => {};
  const first = slots.use(
    never,
    () =>
      new Promise<void>((resolve) => {
        end = resolve;
      }),
  );
  const cancel = new AbortController();
  const second = slots.use(cancel.signal, async () => "second");
  const third = slots.use(never, async () => "third");
  cancel.abort(new Error("cancelled"));
  await expect(second).rejects.toThrow("cancelled");
  await expect(slots.use(cancel.signal, async () => "late")).rejects.toThrow("cancelled");
  end();
  await first;
  expect(await third).toBe("third");
  expect(await slots.use(never, async () => "fourth")).toBe("fourth");
});
