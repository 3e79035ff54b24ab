import type { Analyst, Answered } from "../asking/analyst.ts";
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
  readonly isPaid = false;

  async answer({ question }: Pick<Prompt, "question">, { facts }: { facts: PageFacts }): Promise<Answered> {
    return {
      answer: localAnswers[question](pageStudy(facts)),
      model: "local-analyst",
      usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
    };
  }
}
