import type { ModelCallContext } from "@lockstep/ai";
import type { Budget } from "lockstep";

export interface BriefMatter {
  /** As one is greeted at this hour of the person's day. */
  readonly greeting: string;
  readonly name: string;
  readonly briefDate: string;
  readonly projects: readonly ProjectMatter[];
}

export interface ProjectMatter {
  readonly name: string;
  readonly summary: string;
  readonly tasks: readonly { readonly title: string; readonly dueOn: string | null }[];
}

export interface WrittenBrief {
  readonly headline: string;
  readonly summary: string;
  /** What to do first, most pressing first. */
  readonly focus: readonly string[];
}

export interface Phase {
  readonly name: string;
  readonly tasks: readonly string[];
}

export interface Profile {
  readonly summary: string;
  readonly interests: readonly string[];
}

/** The context of the job that has it written: what is paid for is kept with the job. */
export type Asking = ModelCallContext;

/** Whoever writes: a model, or the local writer. */
export interface BriefWriter {
  /** As it is stored with what it wrote. */
  readonly label: string;
  /** What each person may have it cost; none if it costs nothing. */
  readonly budgets: readonly Budget[];
  /** What one text will cost at most, by the name of the budget. */
  readonly estimate: Readonly<Record<string, number>>;
  brief(matter: BriefMatter, asking: Asking): Promise<WrittenBrief>;
  phases(project: ProjectMatter, count: number, asking: Asking): Promise<readonly Phase[]>;
  profile(text: string, asking: Asking): Promise<Profile>;
}
