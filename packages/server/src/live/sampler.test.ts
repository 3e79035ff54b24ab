import { ManualClock } from "@lockstep/test-support";
import { describe, expect, onTestFinished, test } from "vitest";
import { ListWatch } from "./list-watch.ts";
import { Sampler, type Screen, type StateTopic } from "./sampler.ts";

const id = (number: number) => `0192f0c1-0000-7000-8000-${String(number).padStart(12, "0")}`;

/** A sampler over states that the test sets, whose reads are noted. */
function aSampler() {
  const clock = new ManualClock();
  const reads: string[] = [];
  const state = {
    stats: [{ jobs: 1 }] as unknown[],
    workers: [] as unknown[],
    rows: new Map<string, string>(),
    newest: [] as string[],
    readMs: 0,
  };
  const read = async <Value>(what: string, value: () => Value): Promise<Value> => {
    reads.push(what);
    if (state.readMs > 0) await clock.sleep(state.readMs);
    return value();
  };
  const sampler = new Sampler({
    clock,
    reads: {
      stats: () => read("stats", () => state.stats),
      workers: () => read("workers", () => state.workers),
      rows: (ids) =>
        read(`rows ${ids.length}`, () => ids.map((one) => ({ id: one, status: state.rows.get(one) }))),
      newest: (filter) => read(`newest ${filter.pipeline}`, () => state.newest),
    },
  });
  onTestFinished(() => sampler.stop());
  const aScreen = (topics: StateTopic[], more: Partial<Screen> = {}) => {
    const sent: [StateTopic, unknown][] = [];
    const leave = sampler.add({
      topics: new Set(topics),
      watch: [],
      list: null,
      send: (topic, data) => sent.push([topic, JSON.parse(data)]),
      ...more,
    });
    return { sent, leave };
  };
  return { clock, reads, state, aScreen };
}

const aList = (pipeline: string, newestShown: string | null = null) =>
  new ListWatch(`pipeline:${pipeline}`, { pipeline }, newestShown);

describe("the sampler", () => {
  test("reads a topic once a second for all who want it, and sends only what has changed", async () => {
    const { clock, reads, state, aScreen } = aSampler();
    const screens = Array.from({ length: 50 }, () => aScreen(["stats"]));
    await clock.advance(2_000);
    expect(reads).toEqual(["stats", "stats", "stats"]);
    state.stats = [{ jobs: 2 }];
    await clock.advance(1_000);
    for (const { sent } of screens) {
      expect(sent).toEqual([
        ["stats", [{ jobs: 1 }]],
        ["stats", [{ jobs: 2 }]],
      ]);
    }
  });

  test("sends whoever comes later the whole state at once, without reading for it", async () => {
    const { clock, reads, aScreen } = aSampler();
    aScreen(["stats", "workers"]);
    await clock.advance(0);
    const before = reads.length;
    const { sent } = aScreen(["stats", "workers"]);
    expect(sent).toEqual([
      ["stats", [{ jobs: 1 }]],
      ["workers", []],
    ]);
    expect(reads).toHaveLength(before);
  });

  test("reads nothing while nobody looks, and nothing nobody wants", async () => {
    const { clock, reads, aScreen } = aSampler();
    aScreen([]);
    await clock.advance(5_000);
    expect(reads).toEqual([]);
    const { leave } = aScreen(["workers"]);
    await clock.advance(0);
    leave();
    await clock.advance(10_000);
    expect(reads).toEqual(["workers"]);
  });

  test("reads the watched rows of all screens together, and sends each its own that have changed", async () => {
    const { clock, reads, state, aScreen } = aSampler();
    const one = aScreen(["rows"], { watch: [id(1), id(2)] });
    const other = aScreen(["rows"], { watch: [id(2), id(3)] });
    await clock.advance(1_000);
    expect(reads).toEqual(["rows 2", "rows 3"]);
    state.rows.set(id(2), "completed");
    await clock.advance(1_000);
    expect(one.sent).toEqual([
      ["rows", [{ id: id(1) }, { id: id(2) }]],
      ["rows", [{ id: id(2), status: "completed" }]],
    ]);
    expect(other.sent.at(-1)).toEqual(["rows", [{ id: id(2), status: "completed" }]]);
    aScreen(["rows"], { watch: Array.from({ length: 150 }, (_, n) => id(n)) });
    await clock.advance(1_000);
    expect(reads.slice(-2)).toEqual(["rows 100", "rows 50"]);
  });

  test("counts every three seconds what is new on a list, once for all who filter alike", async () => {
    const { clock, reads, state, aScreen } = aSampler();
    state.newest = [id(2), id(1)];
    const screens = [aScreen(["list"], { list: aList("a") }), aScreen(["list"], { list: aList("a") })];
    // Its page was loaded before the second job came.
    const earlier = aScreen(["list"], { list: aList("a", id(1)) });
    await clock.advance(2_000);
    state.newest = [id(4), id(3), id(2), id(1)];
    await clock.advance(1_000);
    expect(reads).toEqual(["newest a", "newest a"]);
    for (const { sent } of screens) {
      expect(sent).toEqual([
        ["list", { newCount: 0 }],
        ["list", { newCount: 2 }],
      ]);
    }
    expect(earlier.sent).toEqual([
      ["list", { newCount: 1 }],
      ["list", { newCount: 3 }],
    ]);
  });

  test("lets very many filters take turns", async () => {
    const { clock, reads, aScreen } = aSampler();
    for (let n = 0; n < 30; n += 1) aScreen(["list"], { list: aList(String(n)) });
    await clock.advance(3_000);
    expect(reads).toHaveLength(1 + 20);
    await clock.advance(3_000);
    expect(reads).toHaveLength(1 + 20 + 20);
    expect(new Set(reads).size).toBe(30);
  });

  test("reads half as often while its reads are slow, and as often as before when they are not", async () => {
    const { clock, reads, state, aScreen } = aSampler();
    state.readMs = 300;
    aScreen(["stats"]);
    const timesOf = async (count: number) => {
      const times: number[] = [];
      for (let seen = reads.length; times.length < count; ) {
        await clock.advance(100);
        if (reads.length > seen) times.push(clock.monotonicMs());
        seen = reads.length;
      }
      return times.map((time, index) => time - (times[index - 1] ?? time)).slice(1);
    };
    expect(await timesOf(4)).toEqual([4_300, 8_300, 16_300]);
    state.readMs = 0;
    await clock.advance(60_000);
    expect(await timesOf(3)).toEqual([1_000, 1_000]);
  });

  test("goes on after an outage with what it had", async () => {
    const { clock, state, aScreen } = aSampler();
    const { sent } = aScreen(["stats"]);
    await clock.advance(0);
    const { stats } = state;
    Object.defineProperty(state, "stats", {
      configurable: true,
      get: () => {
        throw new Error("no database");
      },
    });
    await clock.advance(3_000);
    expect(sent).toHaveLength(1);
    Object.defineProperty(state, "stats", { value: [...stats, { jobs: 9 }], writable: true });
    await clock.advance(1_000);
    expect(sent).toHaveLength(2);
  });
});

test("on a full list, an older job that others have made room for is not new", () => {
  const list = aList("a");
  const newest = Array.from({ length: 100 }, (_, n) => id(200 - n));
  expect(list.newCount(newest)).toBe(0);
  expect(list.newCount([...newest.slice(1), id(100)])).toBe(0);
  expect(list.newCount([id(201), ...newest.slice(0, 99)])).toBe(1);
});
