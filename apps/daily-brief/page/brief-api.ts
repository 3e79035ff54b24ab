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

export interface PersonAnswer {
  readonly timeZone: string;
  readonly briefAt: string;
  /** The day it is by this person's clock. */
  readonly today: string;
  readonly briefs: readonly Brief[];
  readonly messages: readonly OutboxMessage[];
  readonly projects: readonly Project[];
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

  static people(): Promise<readonly KnownPerson[]> {
    return json("/app/people");
  }

  person(): Promise<PersonAnswer> {
    return json(`/app/person?${this.#query}`);
  }

  /** With the server's clock, by which what came before can be told from what comes now. */
  token(): Promise<{ readonly token: string; readonly now: string }> {
    return json(`/app/token?${this.#query}`, { method: "POST" });
  }

  add(job: AskedJob): Promise<{ readonly created: boolean; readonly isRetried?: boolean }> {
    return json(`/app/jobs?${this.#query}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(job),
    });
  }
}

async function json<Answer>(url: string, options?: RequestInit): Promise<Answer> {
  const answer = await fetch(url, options);
  if (!answer.ok) throw new Error(`The server answered with ${answer.status}.`);
  return (await answer.json()) as Answer;
}
