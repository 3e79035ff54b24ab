import { expect, test } from "vitest";
import { longestName, mostViews, parseViews, refusal, type SavedView, withView } from "./saved-views.ts";

const failed = { name: "Failed", query: "status=failed" };
const mine = { name: "Mine", query: "filter=owner%3Aada" };
const full = Array.from({ length: mostViews }, (_, at) => ({ name: `${at}`, query: `filter=tag%3A${at}` }));
const parsed = (kept: unknown) => parseViews(JSON.stringify(kept));

test("what was kept is read again as it was, in its order", () => {
  expect(parsed([mine, failed])).toEqual([mine, failed]);
  expect(parseViews(null)).toEqual([]);
});

test.each(["{broken", "", "null", "17", '"text"', '{"name":"a","query":""}', "[[[]]]"])(
  "%s in the browser's storage is no views",
  (kept) => {
    expect(parseViews(kept)).toEqual([]);
  },
);

test("among strange things the views are found, and nothing else of them is taken over", () => {
  const strange = [
    null,
    1,
    "x",
    [],
    {},
    { name: 1, query: "" },
    { name: "no query" },
    { name: " ", query: "" },
  ];
  const long = { name: "n".repeat(longestName + 1), query: "" };
  expect(parsed([...strange, { ...failed, colour: "red" }, long, mine])).toEqual([failed, mine]);
});

test("a query is read as the page reads its address: what it does not know is left out", () => {
  const query = "?filter=owner%3Aada&cursor=abc&status=lost&__proto__=x";
  expect(parsed([{ name: "Mine", query }])).toEqual([mine]);
});

test("of what is kept no more views are read than can be saved", () => {
  expect(parsed([...full, mine])).toEqual(full);
});

test.each<[string, SavedView, SavedView[]]>([
  ["a new view comes last", { name: "New", query: "" }, [failed, mine, { name: "New", query: "" }]],
  ["the same name shows something else", { ...failed, query: "x" }, [{ ...failed, query: "x" }, mine]],
  ["the same view gets another name", { ...mine, name: "Ada" }, [failed, { ...mine, name: "Ada" }]],
  ["a name goes from one view to another", { ...mine, name: "Failed" }, [{ ...mine, name: "Failed" }]],
])("%s", (_, view, views) => {
  expect(withView([failed, mine], view)).toEqual(views);
});

test("a view without a name, with too long a name or one too many is refused; changing one never is", () => {
  expect(refusal([], { name: " ", query: "" })).toBe("unnamed");
  expect(refusal([], { name: "n".repeat(longestName + 1), query: "" })).toBe("long");
  expect(refusal([], { name: "🙂".repeat(longestName), query: "" })).toBeNull();
  expect(refusal(full, mine)).toBe("full");
  expect(refusal(full, { name: "7", query: mine.query })).toBeNull();
  expect(refusal(full, { name: "Seven", query: "filter=tag%3A7" })).toBeNull();
});
