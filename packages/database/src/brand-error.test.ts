import { expect, test } from "vitest";
import { brandError } from "./brand-error.ts";

/** A class and one that extends it, as another copy of the module would have them too. */
function copy() {
  class Refused extends Error {
    static {
      brandError(Refused, "RefusedInTest");
    }
  }
  class RefusedForGood extends Refused {
    static {
      brandError(RefusedForGood, "RefusedForGoodInTest");
    }
  }
  return { Refused, RefusedForGood };
}

test("an error of one copy is an instance of the class of another, and of those it extends", () => {
  const [one, other] = [copy(), copy()];
  for (const thrown of [new one.RefusedForGood(), new other.RefusedForGood()]) {
    expect(thrown).toBeInstanceOf(one.RefusedForGood);
    expect(thrown).toBeInstanceOf(one.Refused);
    expect(thrown).toBeInstanceOf(Error);
  }
  expect(new other.Refused()).not.toBeInstanceOf(one.RefusedForGood);
});

test("a class has the name that it was given, whatever a bundler has made of it", () => {
  expect(copy().Refused.name).toBe("RefusedInTest");
});

test("a class that somebody derives knows only its own errors", () => {
  const { Refused } = copy();
  class Mine extends Refused {}
  expect(new Mine()).toBeInstanceOf(Mine);
  expect(new Mine()).toBeInstanceOf(Refused);
  expect(new Refused()).not.toBeInstanceOf(Mine);
});

test.each([null, undefined, "text", {}, new Error("another")])("%o is no instance", (thrown) => {
  expect(thrown instanceof copy().Refused).toBe(false);
});
