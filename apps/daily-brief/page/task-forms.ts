import { element, part } from "@lockstep/app-kit/page/element";
import type { BriefApi, Project, Task, TaskText } from "./brief-api.ts";
import { fieldIn, fill, onSubmit, valueIn } from "./forms.ts";

export interface TaskFormsParts {
  readonly api: () => BriefApi;
  /** Runs what was asked, draws what has become of it, and shows an error; resolves to whether it went well. */
  readonly act: (asked: Promise<unknown>) => Promise<boolean>;
}

/** Where tasks and projects are added, changed and deleted: one line on the page and two dialogs. */
export class TaskForms {
  readonly #parts: TaskFormsParts;
  readonly #newTask = part("new-task", HTMLFormElement);
  readonly #task = part("task-form", HTMLFormElement);
  readonly #project = part("project-form", HTMLFormElement);
  readonly #taskDialog = part("task-dialog", HTMLDialogElement);
  readonly #projectDialog = part("project-dialog", HTMLDialogElement);
  #taskId: string | null = null;
  #projectId: string | null = null;

  constructor(parts: TaskFormsParts) {
    this.#parts = parts;
    const { api, act } = parts;
    onSubmit(this.#newTask, async () => {
      if (!(await act(api().saveTask(null, taskIn(this.#newTask))))) return;
      fill(this.#newTask, { title: "", dueOn: "" });
      fieldIn(this.#newTask, "title").focus();
    });
    onSubmit(this.#task, async () => {
      if (await act(api().saveTask(this.#taskId, taskIn(this.#task)))) this.#taskDialog.close();
    });
    onSubmit(this.#project, async () => {
      const form = this.#project;
      const text = { name: valueIn(form, "name"), summary: valueIn(form, "summary") };
      if (await act(api().saveProject(this.#projectId, text))) this.#projectDialog.close();
    });
    const deletesTask = () => api().deleteTask(this.#taskId ?? "");
    const deletesProject = () => api().deleteProject(this.#projectId ?? "");
    this.#dialog(this.#taskDialog, deletesTask);
    this.#dialog(this.#projectDialog, deletesProject);
    part("new-project", HTMLButtonElement).onclick = () => this.editProject(null);
  }

  /** The projects that a task may be put into. */
  show(projects: readonly Project[]): void {
    for (const form of [this.#newTask, this.#task]) {
      const select = fieldIn(form, "projectId");
      const chosen = select.value;
      select.replaceChildren(...projects.map(({ id, name }) => element("option", { value: id }, name)));
      if (projects.some(({ id }) => id === chosen)) select.value = chosen;
    }
    this.#newTask.hidden = projects.length === 0;
  }

  editTask({ id, title, dueOn }: Task, projectId: string): void {
    this.#taskId = id;
    fill(this.#task, { title, projectId, dueOn: dueOn ?? "" });
    this.#taskDialog.showModal();
  }

  /** Null: a new one. */
  editProject(project: Project | null): void {
    this.#projectId = project?.id ?? null;
    fill(this.#project, { name: project?.name ?? "", summary: project?.summary ?? "" });
    part("project-dialog-title", HTMLElement).textContent = project === null ? "New project" : "Project";
    const remove = this.#projectDialog.querySelector<HTMLElement>("[data-does=delete]");
    if (remove !== null) remove.hidden = project === null;
    this.#projectDialog.showModal();
  }

  #dialog(dialog: HTMLDialogElement, remove: () => Promise<unknown>): void {
    dialog.addEventListener("click", async ({ target }) => {
      const does = target instanceof HTMLElement ? target.dataset.does : undefined;
      if (does === "close") dialog.close();
      if (does === "delete" && (await this.#parts.act(remove()))) dialog.close();
    });
  }
}

function taskIn(form: HTMLFormElement): TaskText {
  const [title, projectId] = [valueIn(form, "title"), valueIn(form, "projectId")];
  return { title, projectId, dueOn: valueIn(form, "dueOn") || null };
}
