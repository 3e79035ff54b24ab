import { type Budget, budget } from "lockstep";
import { z } from "zod";
import type { ModelConfig } from "../daily-brief-config.ts";
import type {
  Asking,
  BriefMatter,
  BriefWriter,
  Phase,
  Profile,
  ProjectMatter,
  WrittenBrief,
} from "./brief-writer.ts";
import { dateText } from "./date-text.ts";
import { plainText } from "./plain-text.ts";

/** By the name that the calls count against. */
const tokensBudget = "daily-brief-tokens";

const answers = {
  brief: z.object({ headline: z.string(), summary: z.string(), focus: z.array(z.string()) }),
  phases: z.object({ phases: z.array(z.object({ name: z.string(), tasks: z.array(z.string()) })) }),
  profile: z.object({ summary: z.string(), interests: z.array(z.string()) }),
};

/** Has a model write. What it says is cut to length and cleaned. */
export class ModelWriter implements BriefWriter {
  readonly label: string;
  readonly budgets: readonly Budget[];
  // The longest data that a model is given, and a long answer.
  readonly estimate = { [tokensBudget]: 15_000 };
  readonly #config: ModelConfig;

  constructor(config: ModelConfig) {
    this.label = `model ${config.name}`;
    this.#config = config;
    const limit = config.tokensPerDay;
    this.budgets = [budget(tokensBudget, { per: "owner", limit, everyMs: 86_400_000, unit: "tokens" })];
  }

  async brief({ greeting, name, briefDate, projects }: BriefMatter, asking: Asking): Promise<WrittenBrief> {
    const task =
      "Write this person's brief of the day: a headline that starts with the greeting and the whole name, a summary of two sentences, and at most five things to do first.";
    const data = { greeting, name, briefDate: dateText(briefDate), projects: projects.map(matterOf) };
    const { headline, summary, focus } = await this.#ask("brief", answers.brief, task, data, asking);
    return {
      headline: plainText(headline, 200),
      summary: plainText(summary, 2_000),
      focus: listOf(focus, 5),
    };
  }

  async phases(project: ProjectMatter, count: number, asking: Asking): Promise<readonly Phase[]> {
    const task = `Split this project into at most ${count} phases in order, each with a name and its tasks.`;
    const { phases } = await this.#ask("phases", answers.phases, task, matterOf(project), asking);
    return phases
      .slice(0, count)
      .map(({ name, tasks }) => ({ name: plainText(name, 100), tasks: listOf(tasks, 100) }));
  }

  async profile(text: string, asking: Asking): Promise<Profile> {
    const task = "Say in one sentence who wrote this and what for, and name at most five interests.";
    const { summary, interests } = await this.#ask("profile", answers.profile, task, { text }, asking);
    return { summary: plainText(summary, 300), interests: listOf(interests, 5) };
  }

  // Loaded with the first question: it is large, and a process that only adds jobs asks none.
  async #ask<Schema extends z.ZodType>(
    key: string,
    schema: Schema,
    task: string,
    data: object,
    asking: Asking,
  ) {
    const { askModel } = await import("./ask-model.ts");
    return await askModel({ ...this.#config, budget: tokensBudget }, { key, schema, task, data }, asking);
  }
}

/** Only what the model should read. */
function matterOf({ name, summary, tasks }: ProjectMatter): ProjectMatter {
  return { name, summary, tasks: tasks.map(({ title, dueOn }) => ({ title, dueOn })) };
}

function listOf(texts: readonly string[], most: number): string[] {
  return texts.slice(0, most).map((text) => plainText(text, 300));
}
