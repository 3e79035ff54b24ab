import { describe, expect, test } from "vitest";
import { type PrometheusMetric, type PrometheusSample, prometheusText } from "./prometheus-text.ts";

const jobs: PrometheusMetric = { name: "jobs", type: "gauge", labels: ["pipeline"], help: "Live jobs." };

describe("the text for Prometheus", () => {
  test("announces each metric once and has a line for each sample", () => {
    const samples: PrometheusSample[] = [
      { labels: { pipeline: "orders", stage: "read" }, value: 3 },
      { labels: {}, value: 0.25 },
    ];
    expect(prometheusText([{ metric: jobs, samples }])).toBe(
      '# HELP jobs Live jobs.\n# TYPE jobs gauge\njobs{pipeline="orders",stage="read"} 3\njobs 0.25\n',
    );
  });

  test("escapes what would end a label or a line", () => {
    const metric = { ...jobs, help: "a\\b\nc" };
    const samples = [{ labels: { pipeline: 'a\\b"c\nd' }, value: 1 }];
    expect(prometheusText([{ metric, samples }])).toBe(
      '# HELP jobs a\\\\b\\nc\n# TYPE jobs gauge\njobs{pipeline="a\\\\b\\"c\\nd"} 1\n',
    );
  });

  test.each([
    [Number.POSITIVE_INFINITY, "+Inf"],
    [Number.NEGATIVE_INFINITY, "-Inf"],
    [Number.NaN, "NaN"],
    [1e21, "1e+21"],
  ])("writes %f as %s", (value, text) => {
    expect(prometheusText([{ metric: jobs, samples: [{ labels: {}, value }] }])).toContain(
      `\njobs ${text}\n`,
    );
  });
});
