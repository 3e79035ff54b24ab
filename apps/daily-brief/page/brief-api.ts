export interface Brief {
  readonly id: string;
  readonly briefDate: string;
  readonly headline: string;
  readonly summary: string;
  readonly focus: readonly string[];
}

export interface Task {
  readonly id: string;
  readonly title: string;
  readonly dueOn: string | null;
}

export interface Project {
  readonly id: string;
  readonly name: string;
  readonly summary: string;
  /** Those that are open. */
  readonly tasks: readonly Task[];
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

export interface Settings {
  readonly name: string;
  readonly timeZone: string;
  readonly briefAt: string;
  readonly wantsPage: boolean;
  readonly wantsEmail: boolean;
  readonly wantsSms: boolean;
}

export interface PersonAnswer extends Settings {
  readonly email: string | null;
  /** Confirmed to be theirs. */
  readonly phone: string | null;
  /** One whose code is waited for. */
  readonly phoneWaiting: string | null;
  /** The day it is by this person's clock. */
  readonly today: string;
  readonly briefs: readonly Brief[];
  readonly messages: readonly OutboxMessage[];
  readonly projects: readonly Project[];
  readonly finished: readonly (Task & { readonly projectId: string })[];
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

export interface Site {
  readonly signsIn: boolean;
  readonly registers: boolean;
  readonly sendsSms: boolean;
  /** As whom this browser may act. */
  readonly people: readonly KnownPerson[];
}

export type AskedJob =
  | { readonly type: "generate_daily_brief" }
  | { readonly type: "generate_phases"; readonly projectId: string };

export interface TaskText extends Omit<Task, "id"> {
  readonly projectId: string;
}

export interface Said {
  readonly said?: string;
  readonly personId?: string;
  /** Where no mail is sent. */
  readonly mail?: {
    readonly to: string;
    readonly subject: string;
    readonly text: string;
    readonly link: string;
  };
}

/** What the page asks of its own server, in the name of one person. */
export class BriefApi {
  readonly #query: string;

  constructor(personId: string) {
    this.#query = new URLSearchParams({ person: personId }).toString();
  }

  static site(): Promise<Site> {
    return send("GET", "/people");
  }

  static timeZones(): Promise<readonly string[]> {
    return send("GET", "/time-zones");
  }

  /** Of signing in and registering. */
  static post(path: string, body: object): Promise<Said> {
    return send("POST", path, body);
  }

  person(): Promise<PersonAnswer> {
    return this.#send("GET", "/person");
  }

  token(): Promise<{ readonly token: string }> {
    return this.#send("POST", "/token");
  }

  /** Goes on by itself when the connection breaks, after the last one that came. */
  notifications(): EventSource {
    return new EventSource(`/app/notifications?${this.#query}`);
  }

  markRead(upTo: number): Promise<void> {
    return this.#send("POST", "/notifications/read", { upTo });
  }

  retry(jobId: string): Promise<void> {
    return this.#send("POST", `/jobs/${jobId}/retry`);
  }

  add(job: AskedJob): Promise<{ readonly created: boolean; readonly isRetried?: boolean }> {
    return this.#send("POST", "/jobs", job);
  }

  saveSettings(settings: Settings): Promise<void> {
    return this.#send("PUT", "/settings", settings);
  }

  deleteAccount(): Promise<void> {
    return this.#send("DELETE", "/person");
  }

  askForCode(phone: string): Promise<void> {
    return this.#send("POST", "/phone", { phone });
  }

  confirmPhone(code: string): Promise<void> {
    return this.#send("POST", "/phone/confirm", { code });
  }

  removePhone(): Promise<void> {
    return this.#send("DELETE", "/phone");
  }

  /** Changes the project with this id, or adds one. */
  saveProject(id: string | null, project: { name: string; summary: string }): Promise<void> {
    return id === null
      ? this.#send("POST", "/projects", project)
      : this.#send("PUT", `/projects/${encodeURIComponent(id)}`, project);
  }

  deleteProject(id: string): Promise<void> {
    return this.#send("DELETE", `/projects/${encodeURIComponent(id)}`);
  }

  saveTask(id: string | null, task: TaskText): Promise<void> {
    return id === null ? this.#send("POST", "/tasks", task) : this.#send("PUT", `/tasks/${id}`, task);
  }

  finishTask(id: string, isDone: boolean): Promise<void> {
    return this.#send("PUT", `/tasks/${id}/done`, { isDone });
  }

  deleteTask(id: string): Promise<void> {
    return this.#send("DELETE", `/tasks/${id}`);
  }

  #send<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    return send(method, `${path}?${this.#query}`, body);
  }
}

/** A refusal becomes an error with the server's own sentence. */
async function send<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const json = body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(`/app${path}`, { method, ...json });
  const said = answer.status === 204 ? {} : await answer.json().catch(() => ({}));
  if (answer.ok) return said as Answer;
  throw new Error((said as { error?: string }).error ?? `The server answered with ${answer.status}.`);
}
