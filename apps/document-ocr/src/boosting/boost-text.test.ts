import { expect, test } from "vitest";
import { pageTextOf, plainPage, type Word } from "../reading/page-text.ts";
import { boostText } from "./boost-text.ts";

/** A page of lines set 14 points apart, its letters 5 wide and 10 high. A word may say how sure the reader was of it. */
function aPage(
  lines: readonly (string | { text: string; x: number })[],
  source: "ocr" | "text-layer" = "ocr",
) {
  const placed = lines.map((line, at) => {
    const { text, x } = typeof line === "string" ? { text: line, x: 50 } : line;
    let left = x;
    return text.split(" ").flatMap((written): Word[] => {
      const [, word = "", confidence = "96"] = /^(.*?)(?:@(\d+))?$/.exec(written) ?? [];
      const box = { x: left, y: 50 + at * 14, width: word.length * 5, height: 10 };
      left += (word.length + 1) * 5;
      return word === "" ? [] : [{ text: word, confidence: Number(confidence), box }];
    });
  });
  const size = { ...plainPage, page: 1, widthPoints: 595, heightPoints: 842, language: "eng" as const };
  return pageTextOf(
    placed.filter((words) => words.length > 0),
    { ...size, source },
  );
}

async function boosted(...page: Parameters<typeof aPage>) {
  const [result] = await boostText([aPage(...page)]);
  return result;
}

test("lines become paragraphs, at a wider space, an indent or a line that ends early", async () => {
  const result = await boosted([
    "The harbour office opens at seven and it",
    "closes when the last ferry has left us.",
    "",
    "Nobody remembers who planted the oaks,",
    "and nobody asks.",
    "12 Mill Lane",
    { text: "A new thought begins with an indent here.", x: 70 },
  ]);
  expect(result?.text).toBe(
    [
      "The harbour office opens at seven and it closes when the last ferry has left us.",
      "Nobody remembers who planted the oaks, and nobody asks.\n12 Mill Lane",
      "A new thought begins with an indent here.",
    ].join("\n\n"),
  );
});

test("a word that a line end parted is one word again, and a hyphen of its own stays", async () => {
  const result = await boosted([
    "This is a good exam-",
    "ple, and quite a well-",
    "known one of Saint-",
    "Martin, said Mrs.",
  ]);
  expect(result?.text).toContain("a good example, and quite a well-known one of Saint- Martin");
});

test("ligatures are letters", async () => {
  expect((await boosted(["The ﬁrst oﬃce ﬂoor"], "text-layer"))?.text).toBe("The first office floor");
});

test("a doubtful word is corrected where one word looks like it, and each correction is told", async () => {
  const result = await boosted([
    "Tbe@40 modern@96 rnill@60 was built in 20l7@50 by Rnjk@30 and tbe@95 others",
  ]);
  expect(result?.text).toBe("The modern mill was built in 2017 by Rnjk and tbe others");
  expect(result?.corrections).toEqual([
    { word: 0, from: "Tbe", to: "The" },
    { word: 2, from: "rnill", to: "mill" },
    { word: 6, from: "20l7", to: "2017" },
  ]);
});

test("a text layer is never corrected", async () => {
  expect((await boosted(["Tbe@40 rnill@40"], "text-layer"))?.corrections).toEqual([]);
});

test.each([
  [
    "The ferry leaves at seven, and the mill is dosed.",
    "The ferry leaves at seven, and the mill is closed.",
    "model",
  ],
  [
    "The ferry leaves at seven.",
    "The ferry leaves at seven. It is a lovely ship, built in Leith.",
    "only 43 %",
  ],
  ["The ferry leaves at seven.", "", "only 0 %"],
  ["Invoice 20417 is settled in full.", "Invoice 20477 is settled in full.", "20417 became 20477"],
  [
    "Invoice 20417 is settled in full.",
    "Invoice 20417 is settled in full 1.",
    "none became 1|20417 became 1",
  ],
])("a model that makes of %j this: %j is answered with %s", async (read, improved, outcome) => {
  const asked: string[] = [];
  const model = {
    improve: async (text: string) => {
      asked.push(text);
      return improved;
    },
  };
  const [page] = await boostText([aPage([read])], { model });
  expect(asked).toEqual([read]);
  if (outcome === "model") expect(page).toMatchObject({ text: improved, source: "model", note: null });
  else expect(page).toMatchObject({ text: read, source: "local", note: expect.stringMatching(outcome) });
});
