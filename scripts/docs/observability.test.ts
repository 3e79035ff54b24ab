import { describe, expect, test } from "vitest";
import { queueMetrics } from "../../packages/engine/src/client/reading/queue-metrics.ts";
import { attribute, instruments } from "../../packages/engine/src/events/telemetry-names.ts";
import { read } from "./page.ts";

const page = read("docs/observability.md");

/** The rows of the table that begins with this head; each a list of cells. */
function tableOf(head: string): string[][] {
  const [, after = ""] = page.split(new RegExp(`^\\| ${head} .*\n\\| -.*\n`, "m"));
  const [table = ""] = /^(?:\|.*\n)+/.exec(after) ?? [];
  const rows = table.trimEnd().split("\n");
  return rows.map((row) =>
    row
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
}

const code = (words: readonly string[]) => words.map((word) => `\`${word}\``).join(", ");

describe("docs/observability.md", () => {
  test("shows examples/production/observability.ts as it is", () => {
    const example = read("examples/production/observability.ts");
    expect(page).toContain(`\`\`\`ts\n${example}\`\`\``);
  });

  test("lists every metric of the queue", () => {
    expect(tableOf("metric")).toEqual(
      Object.values(queueMetrics).map(({ name, type, labels, help }) => [
        `\`${name}\``,
        type,
        code(labels),
        help,
      ]),
    );
  });

  test("lists every instrument of a process", () => {
    expect(tableOf("instrument")).toEqual(
      Object.values(instruments).map(({ name, kind, unit, attributes, description }) => [
        `\`${name}\``,
        kind,
        `\`${unit}\``,
        code(attributes),
        description,
      ]),
    );
  });

  test("names every attribute of ours", () => {
    for (const name of Object.values(attribute)) expect(page).toContain(`\`${name}\``);
  });
});
