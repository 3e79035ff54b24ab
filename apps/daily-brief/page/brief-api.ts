export interface Brief {
  readonly id: string;
  readonly briefDate: string;
  readonly headline: string;
  readonly summary: string;
  readonly focus: readonly string[];
}

export interface Project {
  readonly id: string;
  readonly name: string;
  readonly summary: string;
  readonly tasks: readonly { readonly title: string; readonly dueOn: string | null }[];
  readonly phases: readonly { readonly name: string; readonly tasks: readonly string[] }[];
}

export interface OutboxMessage {
  /** Of the job that sends it: each sends one. */
  readonly jobId: string;
  readonly kind: "email" | "sms";
  readonly recipient: string;
  readonly subject: string | null;
  readonly body: string;
  readonly state: "sending" | "sent" | "kept" | "in_doubt";
  readonly begunAt: string;
}

/** A job that is being retried, or has failed. */
export interface Trouble {
  readonly id: string;
  readonly type: string;
  readonly status: "retrying" | "failed";
  readonly attempt: number;
  readonly error: string;
  /** When it is tried again, or when it failed. */
  readonly at: string | null;
}

export interface PersonAnswer {
  readonly timeZone: string;
  readonly briefAt: string;
  /** The day it is by this person's clock. */
  readonly today: string;
  readonly briefs: readonly Brief[];
  readonly messages: readonly OutboxMessage[];
  readonly projects: readonly Project[];
  readonly troubles: readonly Trouble[];
}

export const notificationEvents = [
  "brief_completed",
  "brief_email_sent",
  "phases_completed",
  "brief_failed",
] as const;

export interface ToldNotification {
  readonly event: (typeof notificationEvents)[number];
  readonly text: string;
  readonly at: string;
  readonly isRead: boolean;
  /** It came before the page was opened. */
  readonly isMissed: boolean;
}

export interface KnownPerson {
  readonly id: string;
  readonly name: string;
  readonly timeZone: string;
}

export type AskedJob =
  | { readonly type: "generate_daily_brief" }
  | { readonly type: "generate_phases"; readonly projectId: string };

/** What the page asks of its own server, in the name of one person. */
export class BriefApi {
  readonly #query: string;

  constructor(personId: string) {
    this.#query = new URLSearchParams({ person: personId }).toString();
  }

  static people(): Promise<{ readonly signsIn: boolean; readonly people: readonly KnownPerson[] }> {
    return json("/app/people");
  }

  person(): Promise<PersonAnswer> {
    return json(`/app/person?${this.#query}`);
  }

  token(): Promise<{ readonly token: string }> {
    return json(`/app/token?${this.#query}`, { method: "POST" });
  }

  /** Goes on by itself when the connection breaks, after the last one that came. */
  notifications(): EventSource {
    return new EventSource(`/app/notifications?${this.#query}`);
  }

  async markRead(upTo: number): Promise<void> {
    await fetch(`/app/notifications/read?${this.#query}`, postOf({ upTo }));
  }

  async retry(jobId: string): Promise<void> {
    const { ok } = await fetch(`/app/jobs/${jobId}/retry?${this.#query}`, { method: "POST" });
    if (!ok) throw new Error("It could not be tried again. Reload the page and see what became of it.");
  }

  add(job: AskedJob): Promise<{ readonly created: boolean; readonly isRetried?: boolean }> {
    return json(`/app/jobs?${this.#query}`, postOf(job));
  }
}

function postOf(body: object): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

async function json<Answer>(url: string, options?: RequestInit): Promise<Answer> {
  const answer = await fetch(url, options);
  if (!answer.ok) throw new Error(`The server answered with ${answer.status}.`);
  return (await answer.json()) as Answer;
}
