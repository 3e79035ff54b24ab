import { element, part } from "@lockstep/app-kit/page/element";
import { createClient, type LiveEvents, type LiveStatus } from "@lockstep/client";
import { Bell } from "./bell.ts";
import {
  type AskedJob,
  BriefApi,
  notificationEvents,
  type Site,
  type ToldNotification,
} from "./brief-api.ts";
import { PersonView } from "./person-view.ts";
import { PhoneForm } from "./phone-form.ts";
import { screenOf, showScreen } from "./screens.ts";
import { SettingsForm } from "./settings-form.ts";
import { TaskForms } from "./task-forms.ts";
import { Toasts } from "./toasts.ts";
import { followLink, isLink, prepareWelcome, signOut } from "./welcome.ts";

const newPerson = "new";
const person = part("person", HTMLSelectElement);
const live = part("live", HTMLSpanElement);
const briefNow = part("brief-now", HTMLButtonElement);
const signedIn = part("signed-in", HTMLSpanElement);
const signOutButton = part("sign-out", HTMLButtonElement);
const toasts = new Toasts(part("toasts", HTMLDivElement));
const bell = new Bell();
const currentApi = () => api;
const forms = new TaskForms({ api: currentApi, act });
const settings = new SettingsForm({
  ...{ api: currentApi, act },
  onGone: () => location.assign(location.pathname),
});
const phone = new PhoneForm({ api: currentApi, draw, say: (text) => toasts.show(text) });
const view = new PersonView({
  split: (projectId) => void ask({ type: "generate_phases", projectId }),
  retry: (jobId) => void act(api.retry(jobId)),
  editProject: (project) => forms.editProject(project),
  editTask: (task, projectId) => forms.editTask(task, projectId),
  finish: (taskId, isDone) => void act(api.finishTask(taskId, isDone)),
});
const drawnAfter = [
  "job.completed",
  "job.waiting",
  "job.retrying",
  "job.retried",
  "job.failed",
  "job.cancelled",
];
const liveWords: Record<LiveStatus["state"], string> = {
  ...{ connecting: "connecting", live: "live", polling: "live, every few seconds" },
  ...{ reconnecting: "reconnecting", paused: "paused", closed: "" },
};

let site: Site = { signsIn: false, registers: false, sendsSms: false, people: [] };
let api = new BriefApi("");
let following: LiveEvents | null = null;
let told: EventSource | null = null;
let drawing: number | undefined;
let draws = 0;
let newestDrawn = 0;
let missedTimer: number | undefined;

/** Shows one person, and follows what happens to their jobs and what they are told. */
async function change(): Promise<void> {
  following?.close();
  told?.close();
  toasts.clear();
  settings.clear();
  phone.clear();
  history.replaceState(null, "", `?person=${encodeURIComponent(person.value)}${location.hash}`);
  const asked = new BriefApi(person.value);
  api = asked;
  const timeZone = site.people.find(({ id }) => id === person.value)?.timeZone ?? "UTC";
  bell.of(timeZone, (upToId) => void asked.markRead(upToId).catch(() => {}));
  told = asked.notifications();
  let missed = 0;
  for (const event of notificationEvents) {
    told.addEventListener(event, ({ data, lastEventId }) => {
      const notification = JSON.parse(data) as ToldNotification;
      bell.add(notification, Number(lastEventId));
      if (notification.isRead) return;
      if (!notification.isMissed) {
        toasts.show(notification.text, event === "brief_failed" ? "trouble" : "news");
        return;
      }
      missed += 1;
      clearTimeout(missedTimer);
      missedTimer = setTimeout(() => toasts.show(missedText(missed)), 200);
    });
  }
  const client = createClient({ baseUrl: "/lockstep", token: async () => (await asked.token()).token });
  following = client.follow(
    { onStatus: showStatus },
    (message) => {
      if (message.type === "job" && api === asked && drawnAfter.includes(message.event.kind)) drawSoon();
    },
    (error) => toasts.show(`Live updates have stopped: ${String(error)}`, "trouble"),
  );
  await draw();
}

async function ask(job: AskedJob): Promise<void> {
  try {
    const { created, isRetried } = await api.add(job);
    if (!created && !isRetried) toasts.show("Today's brief exists already, or is on its way.");
  } catch (error) {
    showError(error);
  }
}

/** Draws what has become of what was asked, or says what went wrong; resolves to whether it went well. */
async function act(asked: Promise<unknown>): Promise<boolean> {
  try {
    await asked;
    await draw();
    return true;
  } catch (error) {
    showError(error);
    return false;
  }
}

function showError(error: unknown): void {
  toasts.show(error instanceof Error ? error.message : String(error), "trouble");
}

async function draw(): Promise<void> {
  const asked = api;
  const turn = ++draws;
  const answer = await asked.person();
  // Another person may have been chosen in the meantime, or a later answer may have come first.
  if (api !== asked || turn < newestDrawn) return;
  newestDrawn = turn;
  view.draw(answer);
  forms.show(answer.projects);
  settings.show(answer);
  phone.show(answer, site.sendsSms);
  const shown = site.signsIn ? signedIn : person.selectedOptions[0];
  if (shown !== undefined && person.value !== newPerson) shown.textContent = answer.name;
}

// Several changes often come together.
function drawSoon(): void {
  clearTimeout(drawing);
  drawing = setTimeout(() => void draw().catch(() => {}), 100);
}

function showStatus({ state }: LiveStatus): void {
  live.dataset.state = state;
  live.textContent = liveWords[state];
}

function missedText(count: number): string {
  return count === 1
    ? "One notification came while you were away."
    : `${count} notifications came while you were away.`;
}

/** The forms of those who are nobody here yet. */
function welcome(isMoved: boolean): void {
  following?.close();
  told?.close();
  for (const id of ["tabs", "bell"]) part(id, HTMLElement).hidden = true;
  live.textContent = "";
  showScreen("welcome", isMoved);
}

async function enter(isMoved = false): Promise<void> {
  for (const id of ["tabs", "bell"]) part(id, HTMLElement).hidden = false;
  showScreen(screenOf(location.hash), isMoved);
  await change();
}

/** As whom the browser may act, and whether there can be more of them. */
function offerPeople(chosen: string | null): void {
  const options = site.people.map(({ id, name }) => element("option", { value: id }, name));
  const another = element("option", { value: newPerson }, "New person…");
  person.replaceChildren(...options, ...(site.registers && !site.signsIn ? [another] : []));
  if (site.people.some(({ id }) => id === chosen)) person.value = chosen ?? "";
  part("person-label", HTMLElement).hidden = site.signsIn;
}

signOutButton.onclick = () => void signOut().catch(showError);
addEventListener("hashchange", () => {
  // A link that is opened in this very tab changes nothing but what stands behind the "#".
  if (isLink(location.hash)) location.reload();
  else if (person.value !== newPerson && site.people.length > 0) showScreen(screenOf(location.hash), true);
});
// What another tab has changed.
addEventListener("focus", () => site.people.length > 0 && person.value !== newPerson && drawSoon());
briefNow.onclick = () => void ask({ type: "generate_daily_brief" });
person.onchange = () => {
  if (person.value === newPerson) welcome(true);
  else void enter().catch(showError);
};

try {
  let wrong: unknown = null;
  const followed = await followLink().catch((error: unknown) => {
    wrong = error;
    return { personId: undefined };
  });
  site = await BriefApi.site();
  offerPeople(followed.personId ?? new URLSearchParams(location.search).get("person"));
  prepareWelcome(site);
  const isOut = site.people.length === 0;
  signOutButton.hidden = !site.signsIn || isOut;
  signedIn.hidden = signOutButton.hidden;
  if (isOut) welcome(false);
  else await enter();
  if (wrong !== null) showError(wrong);
} catch (error) {
  toasts.show(`The page could not be loaded: ${String(error)} Reload it to try again.`, "trouble");
}
