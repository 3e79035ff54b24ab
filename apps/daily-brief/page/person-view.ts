import { element, part } from "@lockstep/app-kit/page/element";
import { dateText, timeText } from "../src/services/date-text.ts";
import type { Brief, OutboxMessage, PersonAnswer, Trouble } from "./brief-api.ts";
import { KeptList } from "./kept-list.ts";
import { type ProjectAsks, ProjectCard, type ShownProject } from "./project-card.ts";
import { troubleOf } from "./trouble-of.ts";

const kindWords = { email: "Mail", sms: "SMS" };
const stateWords = { sending: "on its way", sent: "sent", in_doubt: "in doubt: perhaps sent" };
const keptWords = {
  email: "kept in the outbox (no mail provider)",
  sms: "kept in the outbox (no SMS provider)",
};

export interface ViewAsks extends ProjectAsks {
  readonly retry: (jobId: string) => void;
}

/** Draws what belongs to one person. */
export class PersonView {
  readonly #cards = new Map<string, ProjectCard>();
  readonly #today = new KeptList<Brief>({
    place: part("today", HTMLDivElement),
    idOf: ({ id }) => id,
    draw: (brief) => briefOf(brief, "h3"),
  });
  readonly #projects = new KeptList<ShownProject>({
    place: part("projects", HTMLDivElement),
    idOf: ({ id }) => id,
    draw: (project) => {
      const card = new ProjectCard(project, this.#asked);
      this.#cards.set(project.id, card);
      return card.made;
    },
    redraw: (_, project) => this.#cards.get(project.id)?.show(project),
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

  draw(person: PersonAnswer): void {
    const { briefs, messages, projects, finished, troubles, today, timeZone } = person;
    this.#timeZone = timeZone;
    const isOfToday = ({ briefDate }: Brief) => briefDate === today;
    this.#today.show(briefs.filter(isOfToday), noBriefYet(person));
    const shown = projects.map((project) => ({
      ...project,
      finished: finished.filter(({ projectId }) => projectId === project.id),
      today,
    }));
    this.#projects.show(shown, "No projects yet. Begin with one.");
    this.#troubles.show(troubles, "Nothing is being retried, and nothing has failed.");
    const count = part("trouble-count", HTMLElement);
    count.hidden = troubles.length === 0;
    count.textContent = String(troubles.length);
    this.#outbox.show(messages, "Nothing has been sent yet.");
    this.#earlier.show(
      briefs.filter((brief) => !isOfToday(brief)),
      "None.",
    );
  }

  #message({ kind, recipient, subject, body, state, begunAt }: OutboxMessage): HTMLElement {
    const words = state === "kept" ? keptWords[kind] : stateWords[state];
    const time = element("time", { datetime: begunAt }, timeText(new Date(begunAt), this.#timeZone));
    const head = element(
      "summary",
      {},
      element("span", { class: "badge" }, kindWords[kind]),
      element("span", { class: "subject" }, subject ?? body),
      element("span", { class: "quiet" }, `${recipient}, ${words}, `, time),
    );
    return element("details", { class: "panel message" }, head, element("pre", {}, body));
  }
}

function noBriefYet({ wantsPage, wantsEmail, wantsSms, briefAt, timeZone }: PersonAnswer): string {
  if (wantsPage || wantsEmail || wantsSms)
    return `No brief for today yet. It comes at ${briefAt} (${timeZone}), or when you ask for it.`;
  return "No brief comes by itself: all channels are switched off in your settings.";
}

function briefOf({ headline, summary, focus }: Brief, heading: "h3" | "h4"): HTMLElement {
  const items = focus.map((item) => element("li", {}, item));
  return element(
    "article",
    { class: "brief" },
    element(heading, {}, headline),
    element("p", {}, summary),
    ...(items.length === 0 ? [] : [element("ol", {}, ...items)]),
  );
}

function foldedBrief(brief: Brief): HTMLElement {
  const head = element(
    "summary",
    {},
    element("span", { class: "quiet" }, dateText(brief.briefDate)),
    ` ${brief.headline}`,
  );
  return element("details", { class: "panel" }, head, briefOf(brief, "h3"));
}
