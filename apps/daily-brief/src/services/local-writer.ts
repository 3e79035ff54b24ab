import type {
  BriefMatter,
  BriefWriter,
  Phase,
  Profile,
  ProjectMatter,
  WrittenBrief,
} from "./brief-writer.ts";
import { dateText } from "./date-text.ts";

const focusLength = 5;
const interestCount = 5;

/** Writes by counting and sorting: no model, no network, the same text for the same matter. */
export class LocalWriter implements BriefWriter {
  readonly label = "local";
  readonly budgets = [];
  readonly estimate = {};

  async brief({ greeting, name, briefDate, projects }: BriefMatter): Promise<WrittenBrief> {
    const tasks = projects.flatMap((project) =>
      project.tasks.map((task) => ({ ...task, project: project.name })),
    );
    const byDueDay = tasks.toSorted((one, other) => dayOf(one).localeCompare(dayOf(other)));
    const late = tasks.filter(({ dueOn }) => dueOn !== null && dueOn < briefDate).length;
    const today = tasks.filter(({ dueOn }) => dueOn === briefDate).length;
    return {
      headline: `${greeting}, ${name}: ${counted(today, "task")} due today`,
      summary: `${counted(tasks.length, "open task")} in ${counted(projects.length, "project")}, ${late} of them late.`,
      focus: byDueDay
        .slice(0, focusLength)
        .map(
          ({ title, project, dueOn }) =>
            `${title} (${project}${dueOn === null ? "" : `, due ${dateText(dueOn)}`})`,
        ),
    };
  }

  /** By their due days, in parts as equal as can be. */
  async phases({ tasks }: ProjectMatter, count: number): Promise<readonly Phase[]> {
    const byDueDay = tasks.toSorted((one, other) => dayOf(one).localeCompare(dayOf(other)));
    const size = Math.max(1, Math.ceil(byDueDay.length / count));
    return Array.from({ length: Math.ceil(byDueDay.length / size) }, (_, index) => ({
      name: `Phase ${index + 1}`,
      tasks: byDueDay.slice(index * size, (index + 1) * size).map(({ title }) => title),
    }));
  }

  async profile(text: string): Promise<Profile> {
    const times = new Map<string, number>();
    for (const word of text.toLowerCase().match(/\p{L}{5,}/gu) ?? [])
      times.set(word, (times.get(word) ?? 0) + 1);
    const interests = [...times].sort(([, one], [, other]) => other - one).map(([word]) => word);
    const [firstSentence = ""] = text.trim().split(/(?<=[.!?])\s/);
    return { summary: firstSentence.slice(0, 300), interests: interests.slice(0, interestCount) };
  }
}

// What has no day comes last.
function dayOf({ dueOn }: { readonly dueOn: string | null }): string {
  return dueOn ?? "9999";
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}
