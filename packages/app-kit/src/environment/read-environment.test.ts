import { expect, test } from "vitest";
import { readEnvironment } from "./read-environment.ts";
import { list, oneOf, orNull, secret, text, webAddress, wholeNumber } from "./variables.ts";

const count = { COUNT: wholeNumber({ least: 1, most: 10 }).default(3) };
const address = { URL: orNull(webAddress("http://127.0.0.1:9000")) };
const key = secret("must have at least 8 characters", (value) => value.length >= 8);

test("a number that is not set, or is empty, has its default", () => {
  expect(readEnvironment({}, count)).toEqual({ COUNT: 3 });
  expect(readEnvironment({ COUNT: "" }, count)).toEqual({ COUNT: 3 });
  expect(readEnvironment({ COUNT: "10" }, count)).toEqual({ COUNT: 10 });
});

test.each(["0", "11", "1.5", "many"])("%j is refused with the name of its variable", (COUNT) => {
  expect(() => readEnvironment({ COUNT }, count)).toThrow(
    `The environment variable COUNT must be a whole number from 1 to 10, not "${COUNT}".`,
  );
});

test("an address is one of the web, without the slash at its end, or null", () => {
  expect(readEnvironment({ URL: "https://example.com/v1/" }, address)).toEqual({
    URL: "https://example.com/v1",
  });
  expect(readEnvironment({ URL: "" }, address)).toEqual({ URL: null });
  expect(() => readEnvironment({ URL: "example.com" }, address)).toThrow(
    'The environment variable URL must be an address such as http://127.0.0.1:9000, not "example.com".',
  );
});

test("an address is shown without a password or a key", () => {
  expect(() => readEnvironment({ URL: "ftp://ada:s3cret@host/path?key=s3cret" }, address)).toThrow(
    'such as http://127.0.0.1:9000, not "…@host/path?…".',
  );
});

test("a list is separated by commas or spaces", () => {
  const names = { NAMES: list("must be letters", (entry) => /^[a-z]+$/.test(entry)) };
  expect(readEnvironment({ NAMES: "a, b\n c,,d " }, names)).toEqual({ NAMES: ["a", "b", "c", "d"] });
  expect(readEnvironment({}, names)).toEqual({ NAMES: [] });
  expect(() => readEnvironment({ NAMES: "a,7" }, names)).toThrow(
    'The environment variable NAMES must be letters, not "7".',
  );
});

test("a choice is one of its words", () => {
  const place = { PLACE: oneOf("here", "there", "nowhere") };
  expect(readEnvironment({ PLACE: "there" }, place)).toEqual({ PLACE: "there" });
  expect(() => readEnvironment({ PLACE: "elsewhere" }, place)).toThrow(
    'The environment variable PLACE must be "here", "there" or "nowhere", not "elsewhere".',
  );
});

test("a secret is not shown", () => {
  expect(() => readEnvironment({ KEY: "s3cret" }, { KEY: key })).toThrow(
    "The environment variable KEY must have at least 8 characters (its value is not shown, because it may be a secret).",
  );
});

test("all that is wrong is said at once, and what is not set too", () => {
  const wanted = { ...count, KEY: key, SENDER: text("must be an address for mail") };
  expect(() => readEnvironment({ COUNT: "x" }, wanted)).toThrow(
    'The environment variable COUNT must be a whole number from 1 to 10, not "x". The environment variable KEY is not set; it must have at least 8 characters. The environment variable SENDER is not set; it must be an address for mail.',
  );
});
