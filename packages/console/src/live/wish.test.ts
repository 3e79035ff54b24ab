import { expect, test } from "vitest";
import { streamQuery } from "./wish.ts";

test("the wishes of all places become one stream", () => {
  const query = streamQuery([
    { topics: ["stats"] },
    { topics: ["list", "stats"], watch: ["b", "a"], filter: "status:failed", newest: "b" },
  ]);
  expect(query).toBe("?topics=list%2Crows%2Cstats&watch=a%2Cb&filter=status%3Afailed&newest=b");
});

test("nobody wants anything, so no stream is held open", () => {
  expect(streamQuery([{ topics: [] }])).toBeNull();
});

test("no more than a hundred jobs are watched", () => {
  const watch = Array.from({ length: 150 }, (_, index) => `job-${index}`);
  expect(streamQuery([{ topics: [], watch }])?.split("%2C")).toHaveLength(100);
});
