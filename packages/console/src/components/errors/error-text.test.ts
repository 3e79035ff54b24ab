import { expect, test } from "vitest";
import { errorText } from "./error-text.ts";

test("an error is copied with its causes, each under its own headline", () => {
  const refused = {
    name: "AggregateError",
    message: "all refused",
    errors: [{ name: "Error", message: "no route" }],
    moreErrors: 2,
  };
  const error = {
    name: "Error",
    message: "no database",
    stack: "Error: no database\n    at a",
    cause: {
      name: "TypeError",
      message: "fetch failed",
      stack: "TypeError: fetch failed\n    at b",
      cause: refused,
    },
  };
  expect(errorText(error).split("\n")).toEqual([
    "Error: no database",
    "    at a",
    "Caused by: TypeError: fetch failed",
    "    at b",
    "Caused by: AggregateError: all refused",
    "One of its errors: Error: no route",
    "2 more of its errors were not kept.",
  ]);
  expect(errorText({ name: "Error", message: "m", hasMoreCauses: true })).toBe(
    "Error: m\nIts own cause was not kept.",
  );
});
