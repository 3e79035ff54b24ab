import { element, part } from "@lockstep/app-kit/page/element";
import { dateText, timeText } from "../src/services/date-text.ts";
import type { Brief, OutboxMessage, PersonAnswer, Project, Trouble } from "./brief-api.ts";
import { KeptList } from "./kept-list.ts";
import { troubleOf } from "./trouble-of.ts";

const kindWords = { email: "Mail", sms: "SMS" };
const stateWords = { sending: "on its way", sent: "sent", in_doubt: "in doubt: perhaps sent" };
const keptWords = {
  email: "kept in the outbox (no mail provider)",
  sms: "kept in the outbox (no SMS provider)",
};

export interface ViewAsks {
  readonly split: (projectId: string) => void;
  readonly retry: (jobId: string) => void;
}

/** Draws what belongs to one person. */
export class PersonView {
  readonly #today = new KeptList<Brief>({
    place: part("today", HTMLDivElement),
    idOf: ({ id }) => id,
    draw: (brief) => briefOf(brief, "h3"),
  });
  readonly #projects = new KeptList<Project>({
    place: part("projects", HTMLDivElement),
    idOf: ({ id }) => id,
    draw: (project) => this.#project(project),
  });
  readonly #outbox = new KeptList<OutboxMessage>({
    place: part("outbox", HTMLDivElement),
    idOf: ({ jobId }) => jobId,
    draw: (message) => this.#message(message),
  });
  readonly #earlier = new KeptList<Brief>({
    place: part("earlier", HTMLDivElement),
    idOf: ({ id }) => id,
    draw: foldedBrief,
  });
  readonly #troubles = new KeptList<Trouble>({
    place: part("troubles", HTMLDivElement),
    idOf: ({ id }) => id,
    draw: (trouble) => troubleOf(trouble, { timeZone: this.#timeZone, onRetry: this.#asked.retry }),
  });
  readonly #asked: ViewAsks;
  #timeZone = "UTC";

  constructor(asked: ViewAsks) {
    this.#asked = asked;
  }

  draw({ briefs, messages, projects, troubles, today, briefAt, timeZone }: PersonAnswer): void {
    this.#timeZone = timeZone;
    const isOfToday = ({ briefDate }: Brief) => briefDate === today;
    const none = `No brief for today yet. It comes at ${briefAt} (${timeZone}), or when you ask for it.`;
    this.#today.show(briefs.filter(isOfToday), none);
    this.#projects.show(projects, "No projects.");
    this.#troubles.show(troubles, "Nothing is being retried, and nothing has failed.");
    this.#outbox.show(messages, "Nothing has been sent yet.");
    this.#earlier.show(
      briefs.filter((brief) => !isOfToday(brief)),
      "None.",
    );
  }

  #project({ id, name, summary, tasks, phases }: Project): HTMLElement {
    const split = element("button", { type: "button", "data-project": id }, "Split into phases");
    split.onclick = () => this.#asked.split(id);
    const list = tasks.map(({ title, dueOn }) =>
      dueOn === null
        ? element("li", {}, title)
        : element("li", {}, `${title} `, element("span", { class: "quiet due" }, `due ${dateText(dueOn)}`)),
    );
    const phaseList = phases.map((phase) =>
      element("li", {}, element("strong", {}, phase.name), `: ${phase.tasks.join(", ")}`),
    );
    return element(
      "article",
      { class: "panel" },
      element("div", { class: "row" }, element("h3", {}, name), split),
      quiet(summary),
      element("ul", {}, ...list),
      ...(phases.length === 0
        ? []
        : [element("ol", { class: "phases", "aria-label": "Phases" }, ...phaseList)]),
    );
  }

  #message({ kind, recipient, subject, body, state, begunAt }: OutboxMessage): HTMLElement {
    const words = state === "kept" ? keptWords[kind] : stateWords[state];
    const time = element("time", { datetime: begunAt }, timeText(new Date(begunAt), this.#timeZone));
    const head = element(
      "summary",
      {},
      element("span", { class: `kind ${kind}` }, kindWords[kind]),
      element("span", { class: "subject" }, subject ?? body),
      element("span", { class: "quiet" }, `${recipient}, ${words}, `, time),
    );
    return element("details", { class: "panel message" }, head, element("pre", {}, body));
  }
}

function briefOf({ headline, summary, focus }: Brief, heading: "h3" | "h4"): HTMLElement {
  const items = focus.map((item) => element("li", {}, item));
  return element(
    "article",
    {},
    element(heading, {}, headline),
    element("p", {}, summary),
    element("ol", {}, ...items),
  );
}

function foldedBrief(brief: Brief): HTMLElement {
  const head = element(
    "summary",
    {},
    element("span", { class: "day" }, dateText(brief.briefDate)),
    ` ${brief.headline}`,
  );
  return element("details", { class: "panel" }, head, briefOf(brief, "h4"));
}

function quiet(text: string): HTMLElement {
  return element("p", { class: "quiet" }, text);
}
