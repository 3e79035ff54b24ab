import { part } from "@lockstep/app-kit/page/element";
import { BriefApi, type Said, type Site } from "./brief-api.ts";
import { fieldIn, onSubmit, valueIn } from "./forms.ts";
import { offerTimeZones, ownTimeZone } from "./time-zone-options.ts";

const links = { "#sign-in=": "/sign-in/confirm", "#register=": "/register/confirm" };

export function isLink(hash: string): boolean {
  return Object.keys(links).some((mark) => hash.startsWith(mark));
}

/** Uses the link that brought somebody here, if one did. An error says what is wrong with it. */
export async function followLink(): Promise<Said> {
  const { hash } = location;
  for (const [mark, path] of Object.entries(links)) {
    if (!hash.startsWith(mark)) continue;
    // Out of the address, the history and whatever is copied from there.
    history.replaceState(null, "", location.pathname);
    return await BriefApi.post(path, { token: hash.slice(mark.length) });
  }
  return {};
}

/** Where somebody signs in or registers, in place of the page. */
export function prepareWelcome({ signsIn, registers }: Site): void {
  const signIn = part("sign-in", HTMLFormElement);
  const register = part("register", HTMLFormElement);
  signIn.hidden = !signsIn;
  register.hidden = !registers;
  onSubmit(signIn, () => say("sign-in-said", BriefApi.post("/sign-in", { email: valueIn(signIn, "email") })));
  const zones = fieldIn(register, "timeZone");
  if (registers && zones instanceof HTMLSelectElement)
    void offerTimeZones(zones, ownTimeZone()).catch(() => {});
  onSubmit(register, () => {
    const [name, email] = [valueIn(register, "name"), valueIn(register, "email")];
    return say("register-said", BriefApi.post("/register", { name, email, timeZone: zones.value }));
  });
}

async function say(place: string, asked: Promise<Said>): Promise<void> {
  const said = part(place, HTMLParagraphElement);
  try {
    const answer = await asked;
    said.textContent = answer.said ?? "";
    if (answer.mail !== undefined) showMail(answer.mail);
  } catch (error) {
    said.textContent = error instanceof Error ? error.message : String(error);
  }
}

/** Where nothing is mailed, the mail can be read here. */
function showMail({ to, subject, text, link }: NonNullable<Said["mail"]>): void {
  part("kept-mail", HTMLElement).hidden = false;
  part("kept-mail-subject", HTMLElement).textContent = subject;
  part("kept-mail-to", HTMLElement).textContent = `To ${to}`;
  part("kept-mail-text", HTMLElement).textContent = text;
  part("kept-mail-link", HTMLAnchorElement).href = link;
}

export async function signOut(): Promise<void> {
  await BriefApi.post("/sign-in/end", {});
  location.assign(location.pathname);
}
