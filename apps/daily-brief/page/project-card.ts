import { element } from "@lockstep/app-kit/page/element";
import { dateText } from "../src/services/date-text.ts";
import type { Project, Task } from "./brief-api.ts";
import { KeptList } from "./kept-list.ts";

/** A project as its card shows it. */
export interface ShownProject extends Project {
  readonly finished: readonly Task[];
  readonly today: string;
}

export interface ProjectAsks {
  readonly split: (projectId: string) => void;
  readonly editProject: (project: Project) => void;
  readonly editTask: (task: Task, projectId: string) => void;
  readonly finish: (taskId: string, isDone: boolean) => void;
}

/** One project with its tasks. It stays the same element while its tasks come and go. */
export class ProjectCard {
  readonly made: HTMLElement;
  readonly #name = element("h3");
  readonly #edit = element("button", { type: "button", class: "small" }, "Edit");
  readonly #summary = element("p", { class: "quiet" });
  readonly #none = element("p", { class: "quiet" }, "Nothing to do here.");
  readonly #openList = element("ul", { class: "tasks" });
  readonly #doneList = element("ul", { class: "tasks" });
  readonly #doneCount = element("summary");
  readonly #done = element("details", {}, this.#doneCount, this.#doneList);
  readonly #phases = element("ol", { class: "phases", "aria-label": "Phases" });
  readonly #asks: ProjectAsks;
  readonly #tasks: KeptList<Task>;
  readonly #finished: KeptList<Task>;
  #project: ShownProject;

  constructor(project: ShownProject, asks: ProjectAsks) {
    this.#project = project;
    this.#asks = asks;
    const split = element("button", { type: "button", class: "small" }, "Split into phases");
    split.onclick = () => asks.split(project.id);
    this.#edit.onclick = () => asks.editProject(this.#project);
    this.made = element(
      "article",
      { class: "panel" },
      element("div", { class: "row apart" }, this.#name, element("div", { class: "row" }, this.#edit, split)),
      ...[this.#summary, this.#none, this.#openList, this.#done, this.#phases],
    );
    const listOf = (place: HTMLElement, isDone: boolean) =>
      new KeptList<Task>({ place, idOf: ({ id }) => id, draw: (task) => this.#task(task, isDone) });
    this.#tasks = listOf(this.#openList, false);
    this.#finished = listOf(this.#doneList, true);
    this.show(project);
  }

  show(project: ShownProject): void {
    const { name, summary, tasks, finished, phases } = project;
    const isFocused = this.made.contains(document.activeElement);
    this.#project = project;
    this.#name.textContent = name;
    this.#edit.setAttribute("aria-label", `Edit project ${name}`);
    this.#summary.textContent = summary;
    this.#summary.hidden = summary === "";
    this.#tasks.show(tasks, null);
    this.#openList.hidden = tasks.length === 0;
    this.#none.hidden = tasks.length > 0;
    this.#finished.show(finished, null);
    this.#done.hidden = finished.length === 0;
    this.#doneCount.textContent = `Finished (${finished.length})`;
    this.#phases.hidden = phases.length === 0;
    const lines = phases.map((phase) =>
      element("li", {}, element("strong", {}, phase.name), `: ${phase.tasks.join(", ")}`),
    );
    this.#phases.replaceChildren(...lines);
    // Who goes through the tasks with the keyboard goes on here when one is finished or deleted.
    if (isFocused && !this.made.contains(document.activeElement)) {
      const next = this.#openList.querySelector("input") ?? this.made.querySelector("button");
      next?.focus();
    }
  }

  #task(task: Task, isDone: boolean): HTMLElement {
    const { id, title, dueOn } = task;
    const box = element("input", { type: "checkbox" });
    box.checked = isDone;
    box.onchange = () => this.#asks.finish(id, box.checked);
    const edit = element("button", { type: "button", class: "small", "aria-label": `Edit ${title}` }, "Edit");
    edit.onclick = () => this.#asks.editTask(task, this.#project.id);
    const label = element("label", {}, box, element("span", {}, title));
    return element("li", {}, label, ...(dueOn === null || isDone ? [] : [this.#due(dueOn)]), edit);
  }

  #due(dueOn: string): HTMLElement {
    const isLate = dueOn < this.#project.today;
    const words = dueOn === this.#project.today ? "due today" : `due ${dateText(dueOn)}`;
    return element(
      "span",
      { class: isLate ? "trouble due" : "quiet due" },
      isLate ? `late, ${words}` : words,
    );
  }
}
