import { describe, expect, test } from "vitest";
import { DefinitionError } from "./definition-error.ts";
import { defaultBackoff } from "./retry-policy.ts";
import { completeStageOptions, type StageOptions } from "./stage-options.ts";

const defaults = {
  processors: 10,
  maxAttempts: 3,
  maxLosses: 3,
  timeoutMs: 300_000,
  retry: defaultBackoff,
  limits: {},
  spends: null,
};

test.each<[StageOptions, object]>([
  [{}, defaults],
  [{ processors: undefined, timeoutMs: undefined }, defaults],
  [
    { processors: 1, maxAttempts: 100 },
    { ...defaults, processors: 1, maxAttempts: 100 },
  ],
  [{ timeoutMs: null }, { ...defaults, timeoutMs: null }],
  [
    { concurrency: 5, groupConcurrency: 1, rate: { jobs: 3, perMs: 5_000 }, breaker: {} },
    {
      ...defaults,
      limits: { concurrency: 5, groupConcurrency: 1, rate: { jobs: 3, perMs: 5_000 }, breaker: {} },
    },
  ],
  [{ retry: { kind: "constant" } }, { ...defaults, retry: { ...defaultBackoff, kind: "constant" } }],
])("the options %j are completed", (options, complete) => {
  expect(completeStageOptions(options, "stage s")).toEqual(complete);
});

describe("wrong options are refused with a sentence", () => {
  test.each<[unknown, RegExp]>([
    [{ processors: 0 }, /processors of stage s must be a whole number from 1 to 10000/],
    [{ processors: 10_001 }, /processors/],
    [{ processors: "10" }, /processors/],
    [{ processors: null }, /processors/],
    [{ maxAttempts: 101 }, /maxAttempts of stage s must be a whole number from 1 to 100/],
    [{ maxLosses: 1.5 }, /maxLosses/],
    [{ timeoutMs: 0 }, /timeoutMs of stage s must be a whole number of milliseconds from 1/],
    [{ timeoutMs: -1 }, /or null for no limit/],
    [{ timeoutMs: Number.POSITIVE_INFINITY }, /timeoutMs/],
    [{ timeout: 5 }, /Unknown option "timeout" of stage s. Did you mean "timeoutMs"\?/],
    [{ maxAttempt: 5 }, /Did you mean "maxAttempts"\?/],
    [{ concurrency: 0 }, /concurrency of stage s must be a whole number from 1/],
    [{ rate: { jobs: 3 } }, /rate of stage s needs jobs and perMs/],
    [{ rate: { jobs: 3, per: 5 } }, /Unknown option "per" in rate of stage s. Did you mean "perMs"\?/],
    [{ groupRate: 3 }, /groupRate of stage s must be an object with jobs, perMs/],
    [{ breaker: { failureRate: 2 } }, /breaker.failureRate of stage s must be a number above 0 and up to 1/],
    [{ breaker: { per: "job" } }, /must be "stage" or "group"/],
    [null, /must be an object/],
    ["fast", /must be an object/],
  ])("%j", (options, sentence) => {
    const complete = () => completeStageOptions(options as StageOptions, "stage s");
    expect(complete).toThrow(DefinitionError);
    expect(complete).toThrow(sentence);
  });
});
