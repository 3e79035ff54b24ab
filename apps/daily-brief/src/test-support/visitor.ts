import type { BriefSite } from "./brief-site.ts";
import type { ReceivedMail } from "./mail-server.ts";

/** A browser at the site: it keeps its cookie. */
export class Visitor {
  readonly #site: BriefSite;
  #cookie = "";

  constructor(site: BriefSite) {
    this.#site = site;
  }

  get cookie(): string {
    return this.#cookie;
  }

  async ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const answer = await fetch(`${this.#site.listening.url}/app${path}`, {
      method,
      headers: { cookie: this.#cookie, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    this.#cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? this.#cookie;
    return answer;
  }

  async json<Answer>(path: string): Promise<Answer> {
    return (await (await this.ask("GET", path)).json()) as Answer;
  }

  /** Asks to register, and answers with the token of the link in the mail. */
  async register(
    email: string,
    { name = "Mary Somerville", timeZone = "Europe/London" } = {},
  ): Promise<string> {
    const { mail } = this.#site;
    const isNext = ({ to, text }: ReceivedMail) => to === email && text.includes("#register=");
    const before = mail.mails.filter(isNext).length;
    await this.ask("POST", "/register", { name, email, timeZone });
    while (mail.mails.filter(isNext).length === before) await mail.received(mail.mails.length + 1);
    return /#register=([\w-]+)/.exec(mail.mails.filter(isNext)[before]?.text ?? "")?.[1] ?? "";
  }

  /** Registers and follows the link: the id of the new person. */
  async join(email: string, about?: { name?: string; timeZone?: string }): Promise<string> {
    const token = await this.register(email, about);
    const answer = await this.ask("POST", "/register/confirm", { token });
    return ((await answer.json()) as { personId: string }).personId;
  }
}
