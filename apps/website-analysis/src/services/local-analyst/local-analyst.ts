import { type Analyst, type Answered, type AskingContext, answerStream } from "../asking/analyst.ts";
import { answerWords } from "../asking/answer-words.ts";
import type { Prompt } from "../asking/form-prompts.ts";
import type { PageFacts } from "../facts/page-facts.ts";
import { localAnswers } from "./local-answers.ts";
import { pageStudy } from "./page-study.ts";

/** Answers from the page alone, and only what it can quote: the same page gets the same answers, and nothing leaves the machine. */
export class LocalAnalyst implements Analyst {
  readonly label = {
    kind: "local",
    note: "Made by the built-in local analyst, which says only what it can quote from the page; no model was asked. Set MODEL_PROVIDER to ask one.",
  } as const;
  readonly budgets = [];

  estimate() {
    return {};
  }

  async answer(
    { question }: Pick<Prompt, "question">,
    { facts }: { facts: PageFacts },
    { stream }: Pick<AskingContext, "stream">,
  ): Promise<Answered> {
    const answer = localAnswers[question](pageStudy(facts));
    const words = stream<string>(answerStream);
    const found = answerWords({ summary: answer.summary, points: answer.points.map(({ text }) => text) });
    for (const sentence of sentenceBySentence(found)) await words.write(sentence);
    return {
      answer,
      model: "local-analyst",
      usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
    };
  }
}

/** Each with the space behind it. */
function sentenceBySentence(text: string): string[] {
  return text.match(/.+?(?:[.!?…]["”»)]*\s+|\n|$)/gs) ?? [];
}
