import { describe, expect, test } from "vitest";
import { filterQualifiers, parseJobFilter } from "./filter-grammar.ts";
import { checkJobFilter, JobFilterError } from "./job-filter.ts";

const now = new Date("2026-03-02T12:00:00Z");
const id = "0190a000-0000-7000-8000-000000000001";
const other = "0190a000-0000-7000-8000-000000000002";

describe("a filter as people write it", () => {
  test.each([
    ["", {}],
    ["  \n ", {}],
    ["status:failed,cancelled", { statuses: ["failed", "cancelled"] }],
    ["pipeline:document-ocr stage:ocr", { pipeline: "document-ocr", stage: "ocr" }],
    ['owner:"Ada \\"L\\" \\\\"', { owner: 'Ada "L" \\' }],
    ["groupKey:a dedupKey:b tag:c error:d", { groupKey: "a", dedupKey: "b", tag: "c", error: "d" }],
    [`worker:${id.toUpperCase()} batch:${other}`, { workerId: id, batchId: other }],
    [`id:${id},${other}`, { ids: [id, other] }],
    [`${other} ${id}`, { ids: [other, id] }],
    ["since:24h", { addedAfter: new Date("2026-03-01T12:00:00Z") }],
    ["since:90s", { addedAfter: new Date("2026-03-02T11:58:30Z") }],
    [
      "since:2w until:30m",
      { addedAfter: new Date("2026-02-16T12:00:00Z"), addedBefore: new Date("2026-03-02T11:30:00Z") },
    ],
    ["since:2026-03-01", { addedAfter: new Date("2026-03-01T00:00:00Z") }],
    ["since:2026-03-01T10:00", { addedAfter: new Date("2026-03-01T10:00:00Z") }],
    ["until:2026-03-01T10:00:00.5+02:00", { addedBefore: new Date("2026-03-01T08:00:00.500Z") }],
    ["payload.doc:contract.pdf", { payload: { doc: "contract.pdf" } }],
    ['payload.a.b:7 payload.a.c:"7" payload.d:true', { payload: { a: { b: 7, c: "7" }, d: true } }],
    [
      "payload.n:-1.5 payload.x:null payload.big:12345678901234567890",
      { payload: { n: -1.5, x: null, big: "12345678901234567890" } },
    ],
    ["payload.url:https://a.example/b", { payload: { url: "https://a.example/b" } }],
  ])("reads %j", (text, filter) => {
    const parsed = parseJobFilter(text, now);
    expect(parsed).toEqual(filter);
    checkJobFilter(parsed);
  });

  test.each([
    ["stauts:failed", "stauts:failed", 1, /Unknown qualifier "stauts"\. Did you mean "status"\?/],
    ["tag:x Pipline:a", "Pipline:a", 7, /Did you mean "pipeline"\?/],
    ["payloads.a:1", "payloads.a:1", 1, /Did you mean "payload\."\?/],
    ["status:faild", "status:faild", 1, /no status "faild".* Did you mean "failed"\?/],
    ["status:", "status:", 1, /has no value/],
    ["tag:a  tag:b", "tag:b", 8, /there twice/],
    ["contract.pdf", "contract.pdf", 1, /write it as qualifier:value, such as tag:contract\.pdf/],
    ['"two words"', '"two words"', 1, /such as tag:"two words"/],
    ["since:yesterday", "since:yesterday", 1, /is no time/],
    ["since:2026-02-31T99:00", "since:2026-02-31T99:00", 1, /is no time/],
    ["worker:7", "worker:7", 1, /not a UUID/],
    ["payload..a:1", "payload..a:1", 1, /empty name/],
    ["payload.a:1 payload.a:2", "payload.a:2", 13, /contradicts/],
    ["payload.a:1 payload.a.b:2", "payload.a.b:2", 13, /contradicts/],
    ['owner:"open', 'owner:"open', 1, /quotes/],
    ['owner:a"b"', 'owner:a"b"', 1, /quotes/],
  ])("is refused for %j, with the word and its place", (text, word, at, message) => {
    const refusal = errorOf(() => parseJobFilter(text, now));
    expect(refusal).toBeInstanceOf(JobFilterError);
    expect(refusal).toMatchObject({ word, at });
    expect(refusal?.message).toMatch(message);
    expect(refusal?.message).toMatch(new RegExp(`at character ${at} `));
  });

  test("cannot reach anything but the filter by the names of a payload's path", () => {
    const parsed = parseJobFilter("payload.__proto__.x:1", now);
    expect(JSON.stringify(parsed)).toBe('{"payload":{"__proto__":{"x":1}}}');
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  test("has a qualifier for every name of a filter", () => {
    const text = filterQualifiers.map((name) => `${name}:${valueFor(name)}`).join(" ");
    expect(Object.keys(parseJobFilter(text, now))).toHaveLength(filterQualifiers.length);
  });
});

describe("a filter as an object", () => {
  test.each([
    [{ status: "failed" }, /Unknown name "status".* Did you mean "statuses"\?/],
    [{ statuses: ["faild"] }, /statuses must be of scheduled.*not "faild"/],
    [{ statuses: [] }, /statuses must be/],
    [{ addedAfter: "2026-01-01" }, /addedAfter must be a valid Date/],
    [{ workerId: "7" }, /workerId must be a UUID/],
    [{ ids: [] }, /ids must be 1 to 200 UUIDs/],
    [{ payload: [1] }, /payload must be an object/],
    [{ tag: "" }, /tag must be a text/],
    [null, /must be an object/],
  ])("is refused when it is %j", (filter, message) => {
    expect(() => checkJobFilter(filter as never)).toThrow(message);
  });
});

function valueFor(name: string): string {
  if (name === "status") return "failed";
  if (name === "since" || name === "until") return "1h";
  return ["worker", "batch", "id"].includes(name) ? id : "x";
}

function errorOf(run: () => unknown): Error | null {
  try {
    run();
    return null;
  } catch (error) {
    return error as Error;
  }
}
