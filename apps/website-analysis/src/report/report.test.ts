import { expect, test } from "vitest";
import { compareReports } from "./compare-reports.ts";
import type { Report } from "./report.ts";
import { reportMarkdown } from "./report-markdown.ts";

const report: Report = {
  url: "https://site.example/",
  title: "A page",
  description: null,
  language: "en",
  finishedAt: "2026-03-02T10:00:00.000Z",
  analysedBy: { kind: "local", note: "" },
  usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
  answers: {
    audience: {
      summary: "It says that it is for families.",
      points: [{ text: "families", evidence: "Bread for families.", confidence: "high" }],
      confidence: "high",
    },
  },
  things: [],
  technologies: [{ name: "jQuery", evidence: "jquery.min.js" }],
  links: { internal: 1, external: 0, list: [{ url: "https://site.example/a", text: "A", isInternal: true }] },
  headings: [{ level: 1, text: "Bread" }],
  wordCount: 40,
  sizeBytes: 900,
  redirects: [],
  preview: "Bread for families.",
  isPreviewCut: false,
  isScriptShell: false,
};

test("nothing that a page says becomes markup in the Markdown", () => {
  const text = reportMarkdown({
    ...report,
    title: "<script>alert(1)</script> [x](javascript:alert(1))\n# Heading",
    preview: "![pic](http://evil.example/x)\n<img src=x>",
  });
  expect(text.split("\n")[0]).toBe(
    "# \\<script\\>alert(1)\\</script\\> \\[x\\](javascript:alert(1)) \\# Heading",
  );
  expect(text).toContain("> \\!\\[pic\\](http://evil.example/x)");
  expect(text).not.toMatch(/(?<!\\)<img|(?<!\\)\[pic/);
});

test("no line of a page begins a list, or makes a heading of the line above it", () => {
  const text = reportMarkdown({
    ...report,
    preview: "Bread\n===\nfor all\n---\n- a\n+ b\n1. c\n2) d\n3.5 e\n",
  });
  expect(text).toContain(
    "> Bread\n> \\===\n> for all\n> \\---\n> \\- a\n> \\+ b\n> 1\\. c\n> 2\\) d\n> 3\\.5 e\n",
  );
});

test("a report compared with itself shows no change", () => {
  expect(compareReports(report, report)).toEqual({
    isSame: true,
    texts: [],
    changes: [],
    words: { before: 40, after: 40 },
  });
});

test("a comparison names what was gained and what was lost in each part", () => {
  const points = [{ text: "restaurants", evidence: null, confidence: null }];
  const after: Report = {
    ...report,
    title: "Another title",
    answers: { audience: { summary: "", points, confidence: "medium" } },
    technologies: [],
    wordCount: 38,
  };
  expect(compareReports(report, after)).toEqual({
    isSame: false,
    texts: [{ part: "Title", before: "A page", after: "Another title" }],
    changes: [
      { part: "audience", gained: ["restaurants"], lost: ["families"] },
      { part: "technologies", gained: [], lost: ["jQuery"] },
    ],
    words: { before: 40, after: 38 },
  });
});
